// The languages of the playground, with a text for each.

export interface Language {
  /** The code by which lexpool has its rules. */
  code: string;
  name: string;
  /** A text that shows what its rules do. */
  text: string;
  isRightToLeft?: boolean;
}

/** The language of the pipeline, and of the examples of texts. */
export const ENGLISH = "en";

/** Sorted by name; English, whose text is the first of the examples, is not among them. */
export const LANGUAGES: Language[] = [
  {
    code: "ar",
    name: "Arabic",
    text: "اشترى د. سامي ٣ كتب بسعر 12.50 دولارًا، ثم سأل: متى يصل القطار؟",
    isRightToLeft: true,
  },
  { code: "hy", name: "Armenian", text: "Արամը գնեց 3 գիրք 2500 դրամով։ Ե՞րբ է գալիս գնացքը։" },
  { code: "bn", name: "Bengali", text: "সেন বাবু ২৫০ টাকায় ৩টি বই কিনলেন, তারপর জিজ্ঞাসা করলেন: ট্রেন কখন আসবে?" },
  { code: "bg", name: "Bulgarian", text: "През 1998 г. г-н Петров купи хляб за 1,50 лв. и тръгна към ул. „Шипка“." },
  { code: "ca", name: "Catalan", text: "L'home se'n va anar d'hora, cap a les 8.30, i va dir-li que l'entrada costava 12,50 €." },
  { code: "zh", name: "Chinese", text: "王小明昨天花了12.50元买了三本书，然后问：火车几点到？" },
  { code: "cs", name: "Czech", text: "Vlak odjíždí v 7:45, tj. za deset minut, ale pan Novák ještě kupuje jízdenku za 120 Kč." },
  { code: "da", name: "Danish", text: "Hr. Jensen købte d. 5. maj ca. 20 æbler til 3,50 kr. stykket, bl.a. til kagen." },
  { code: "nl", name: "Dutch", text: "Mevr. de Vries heeft 's ochtends zo'n 25 foto's gemaakt, o.a. van de zee-egels bij IJmuiden." },
  { code: "fi", name: "Finnish", text: "Juna lähti klo 8.30, ja n. 50 matkustajaa, mm. EU:n virkamiehiä, nousi kyytiin Itä-Pasilassa." },
  {
    code: "fr",
    name: "French",
    text: "Aujourd'hui, l'horloge de la gare s'est arrêtée à 12h30 ; qu'est-ce qu'il y a, demanda M. Dupont, a-t-elle besoin d'huile ?",
  },
  {
    code: "de",
    name: "German",
    text: "Frau Dr. Müller zog am 3. Mai in die Nähe der U-Bahn: Die Wohnung kostet ca. 850 € im Monat, d.h. mehr als früher.",
  },
  { code: "el", name: "Greek", text: "Ο κ. Παπαδόπουλος αγόρασε στις 8 π.μ. ψωμί, γάλα κ.ά. απ' τον φούρνο για 3,20 €." },
  { code: "he", name: "Hebrew", text: 'ד"ר כהן קנה 3 ספרים ב־12.50 ש"ח, ואז שאל: מתי מגיעה הרכבת?', isRightToLeft: true },
  { code: "hi", name: "Hindi", text: "डॉ. शर्मा ने 3 किताबें ₹250 में खरीदीं, फिर पूछा: रेलगाड़ी कब आएगी?" },
  { code: "hu", name: "Hungarian", text: "Kovács úr 1998. május 3-án költözött Budapestre, ahol pl. a villamos 5-10 percenként jár." },
  { code: "id", name: "Indonesian", text: "Kemarin anak-anak itu membeli 3 buku seharga Rp25.000, lalu bertanya kapan keretanya tiba." },
  { code: "it", name: "Italian", text: "Dov'è l'orologio del dott. Rossi? Nell'ufficio c'è un po' di confusione, ma dev'essere sull'ultimo scaffale." },
  { code: "ko", name: "Korean", text: "김 씨는 어제 책 3권을 12,500원에 샀다. “기차는 언제 와요?”라고 물었다." },
  { code: "nb", name: "Norwegian Bokmål", text: "Bussen går kl. 7.45, dvs. om ca. ti minutter, men hr. Hansen er ikke klar." },
  {
    code: "fa",
    name: "Persian",
    text: "او می‌گوید قطار ساعت ۸:۳۰ می‌رسد، اما کتاب‌هایش هنوز در خانه است.",
    isRightToLeft: true,
  },
  { code: "pl", name: "Polish", text: "Pan dr Nowak mieszka przy ul. Długiej 7 od 1998 r., tj. od ponad dwudziestu lat, w biało-czerwonym domu." },
  { code: "pt", name: "Portuguese", text: "A Sra. Costa disse-lhe que o guarda-chuva custava 9,90 € e que, às 8h30, já não havia nenhum." },
  { code: "ro", name: "Romanian", text: "Într-o dimineață, d-na Popescu i-a spus că n-are decât 15 lei și că s-a făcut ora 9.30." },
  { code: "ru", name: "Russian", text: "В 1998 г. д-р Иванов переехал на ул. Садовую, т.е. в центр, и купил кофе за 150 руб." },
  { code: "sr", name: "Serbian", text: "Др Петровић је 1998. године купио књигу за 250 дин., тј. јефтино." },
  { code: "es", name: "Spanish", text: "¿Cuánto cuesta el billete de ida y vuelta, Sr. García? Pues 12,50 €, pero el tren no sale hasta las 17:45." },
  { code: "sv", name: "Swedish", text: "Dr. Åberg åkte t.ex. till Malmö kl. 9.15, d.v.s. en timme för sent." },
  { code: "ta", name: "Tamil", text: "அவர் 3 புத்தகங்களை ₹250 கொடுத்து வாங்கினார்; தி.மு.க அலுவலகம் எங்கே என்று கேட்டார்." },
  { code: "th", name: "Thai", text: "คุณสมชายซื้อหนังสือ 3 เล่ม ราคา 250.50 บาท แล้วถามว่ารถไฟมาถึงกี่โมง" },
  { code: "tr", name: "Turkish", text: "Dr. Yılmaz 3 Mayıs'ta Ankara'ya gitti; bilet 250 TL idi, yemek vb. hariç." },
  { code: "uk", name: "Ukrainian", text: "У 1998 р. пан Шевченко переїхав на вул. Садову, а м'яч для дітей коштував 45 грн." },
  { code: "vi", name: "Vietnamese", text: "Hôm qua anh Nam mua 3 quyển sách với giá 125.000 đồng, rồi hỏi tàu mấy giờ đến." },
];

/** The language of a code; none for English and for unknown ones. */
export function languageOf(code: string): Language | undefined {
  return LANGUAGES.find((language) => language.code === code);
}
