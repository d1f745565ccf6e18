//! spaCy's errors E849 to E999, in the cases that lexpool has.

super::codes! {
    E849 = "E849" [Value]
        "the method works only on vectors of the class Vectors"
        "Use `lexpool.vectors.Vectors` as the vocab's vectors."
    E853 = "E853" [Value]
        "a factory's name contains a dot"
        "Choose a name without dots."
    E854 = "E854" [Value]
        "the filter of a span ruler left overlapping entities"
        "Return spans that do not overlap, as `util.filter_spans` does."
    E855 = "E855" [Value]
        "the object belongs to another document than the span group"
        "Use spans of the group's document (`group.doc`)."
    E856 = "E856" [Index]
        "no span {i} in the group"
        "Give a position from 0 to len(group) - 1."
    E858 = "E858" [Value]
        "the operation needs vectors with keys"
        "Use vectors in mode \"default\"; vectors in mode \"floret\" have no keys."
    E859 = "E859" [Value]
        "vectors in mode floret cannot be cleared"
        "Make new vectors instead of clearing these."
    E861 = "E861" [Value]
        "vectors in mode floret have no keys"
        "Leave `keys` out in mode \"floret\"."
    E862 = "E862" [Value]
        "hash_count is outside of 1 to 4"
        "Give a number from 1 to 4."
    E863 = "E863" [Value]
        "maxn is less than minn"
        "Give maxn >= minn."
    E864 = "E864" [Value]
        "vectors in mode floret need data"
        "Pass the array of the rows as `data=`."
    E865 = "E865" [Runtime]
        "the document of the span group no longer exists"
        "Keep a reference to the Doc for as long as the group is used."
    E866 = "E866" [Value]
        "the document of the span groups no longer exists"
        "Keep a reference to the Doc for as long as the groups are used."
    E868 = "E868" [Value]
        "a span is given both as an entity and as a span that must not be one"
        "Remove the span from one of the two."
    E869 = "E869" [Value]
        "a label of the entity recognizer begins with \"!\""
        "Rename the label, so that it does not begin with \"!\"."
    E870 = "E870" [Value]
        "the DocBin cannot be written"
        "Split the documents into several DocBins; one holds at most 4 GiB of attributes."
    E872 = "E872" [Value]
        "the rules of a tokenizer cannot be copied into one of another kind"
        "Give both pipelines the same section `[nlp.tokenizer]`."
    E873 = "E873" [Value]
        "a span group has a span without a place in the joined document"
        "Remove the span from its group before you join the documents."
    E879 = "E879" [Value]
        "span annotation is not valid"
        "Give a dict of lists of (start, end, label, kb_id)."
    E885 = "E885" [Value]
        "the loader of the knowledge base is not a function"
        "Give a function that takes a vocab and returns a knowledge base."
    E890 = "E890" [Value]
        "an alias has no characters"
        "Give the text of a mention."
    E893 = "E893" [Value]
        "a configuration names a function that is not registered"
        "Register it with `lexpool.training.callback` before the training, or correct the name."
    E894 = "E894" [NotImplemented]
        "the language has no rules for noun chunks"
        "Set `doc.noun_chunks_iterator`, or use a language with such rules."
    E902 = "E902" [Value]
        "a word of a file in the format iob has no tag"
        "Write each word as word|IOB or word|tag|IOB, such as Rome|B-GPE."
    E903 = "E903" [Value]
        "a line of a file in the format ner has one column"
        "Write a word, and its entity in the last column, such as `Rome B-GPE`."
    E908 = "E908" [Value]
        "spaces without words"
        "Give `words` as well."
    E909 = "E909" [Type]
        "the gold annotation belongs to another transition system"
        "Make it with `init_gold` of the same system."
    E912 = "E912" [Value]
        "a saved lemmatizer lacks a table that its mode needs"
        "Call the lemmatizer's `initialize()`, then save the pipeline again."
    E926 = "E926" [NotImplemented]
        "the list of components is read-only"
        "Use `nlp.add_pipe`, `remove_pipe`, `rename_pipe`, `disable_pipe` or `enable_pipe`."
    E928 = "E928" [Value]
        "a knowledge base is saved as a folder, but the path is a file"
        "Give the path of a folder."
    E929 = "E929" [Value]
        "the folder of a knowledge base does not exist"
        "Check the path; a relative path starts at the current folder."
    E930 = "E930" [Type]
        "examples are missing, or not given by a function"
        "Pass a function that returns at least one Example."
    E931 = "E931" [NotImplemented]
        "the component has no `__call__`"
        "Define `__call__` in the subclass."
    E942 = "E942" [Value]
        "a callback of `[nlp]` has not returned the pipeline"
        "Return `nlp` from the function."
    E943 = "E943" [Value]
        "`before_creation` has not returned the class that it was called with"
        "Change the class, and return it."
    E944 = "E944" [Key]
        "the source pipeline has no such component"
        "Use a name from `source.component_names`."
    E945 = "E945" [Value]
        "the source of a component is not a Language"
        "Pass a loaded pipeline, a `Language`."
    E947 = "E947" [Value]
        "the value of greedy is not known"
        "Use \"FIRST\", \"LONGEST\" or None."
    E948 = "E948" [Value]
        "patterns are not given as a list of patterns"
        "Wrap the pattern: `matcher.add(key, [pattern])`."
    E949 = "E949" [Value]
        "two tokenizations to align are of different texts"
        "Align tokenizations of one text; only case and whitespace may differ."
    E955 = "E955" [Value]
        "no lookup tables for the language"
        "Install spacy-lookups-data, or pass the tables yourself (`lookups=`)."
    E956 = "E956" [Value]
        "the pipeline lists a component that has no section"
        "Add the section `[components.NAME]` to the configuration, or remove the name from \
         `pipeline`."
    E959 = "E959" [Value]
        "the pipeline has no component at the position"
        "Give the name of a component, or a position below the number of components."
    E960 = "E960" [Value]
        "no component has the name {name}"
        "Use a name from `nlp.component_names`."
    E961 = "E961" [Value]
        "a setting is not serializable as JSON"
        "Use strings, numbers, lists, dicts, True, False and None."
    E962 = "E962" [Value]
        "the config of a component is not a dict"
        "Pass a dict of its settings."
    E963 = "E963" [Value]
        "the decorator was used without a name"
        "Write `@Language.component(\"name\")`."
    E964 = "E964" [Value]
        "the factory does not take nlp and name"
        "Define it as `def factory(nlp, name, ...)`."
    E965 = "E965" [Value]
        "a class was registered as a component"
        "Register the class as a factory: `@Language.factory(\"name\")`."
    E966 = "E966" [Value]
        "the object cannot be a component"
        "Pass the name of a registered factory, a function that takes and returns a Doc, or an op."
    E967 = "E967" [Value]
        "no factory is known by this name or for this component"
        "Use the name of a registered factory, or of a component that a factory made."
    E968 = "E968" [Value]
        "the replacement of a component is not the name of a factory"
        "Give the name of a registered factory."
    E969 = "E969" [Type]
        "values of an attribute are not strings"
        "Give strings as the values."
    E971 = "E971" [Value]
        "an array or a list has another length than the document"
        "Give one row for each token."
    E972 = "E972" [Type Value]
        "an argument has a wrong type"
        "Pass a value of the type that the message expects."
    E973 = "E973" [Value]
        "entities are not given as a list of offsets, tags or spans"
        "Give (start, end, label) triples, BILUO tags or spans."
    E974 = "E974" [Value]
        "an annotation of an example is not known"
        "Use one of the keys that the message lists."
    E976 = "E976" [Type Value]
        "an Example is made from something other than two Docs"
        "Pass Docs; use `Example.from_dict` for dicts."
    E977 = "E977" [Value]
        "a morphological analysis is compared with a string"
        "Compare `str(analysis)`, or test single features: `\"Case=Nom\" in analysis`."
    E978 = "E978" [Type]
        "examples are expected"
        "Pass an iterable of Example objects."
    E980 = "E980" [Value]
        "an entity is linked to more than one identifier"
        "Give exactly one identifier with the value 1.0."
    E981 = "E981" [Value]
        "a link does not begin and end between tokens"
        "Give offsets of whole tokens."
    E982 = "E982" [Value]
        "a value of ENT_IOB is outside of 0 to 3"
        "Use 0 (missing), 1 (I), 2 (O) or 3 (B)."
    E983 = "E983" [Key]
        "a key or attribute is not known"
        "Use one of those that the message lists."
    E984 = "E984" [Value]
        "a component's section names neither a factory nor a source"
        "Add `factory = \"NAME\"` or `source = \"FOLDER\"` to the section."
    E985 = "E985" [Value]
        "the configuration has no section `[nlp]`"
        "Pass a whole configuration, such as `nlp.config`."
    E991 = "E991" [Value]
        "select_pipes was called without names"
        "Pass `enable=` or `disable=`."
    E992 = "E992" [Value]
        "enable and disable contradict each other"
        "Pass only one of `enable` and `disable`."
    E997 = "E997" [Value]
        "the tokens of a special case do not make up its text"
        "Give ORTH values that join to the text."
    E999 = "E999" [Value]
        "documents to join have different vocabs"
        "Make all documents with one vocab."
}
