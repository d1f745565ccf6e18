//! spaCy's errors E001 to E202, in the cases that lexpool has.

super::codes! {
    E001 = "E001" [Value Key]
        "no component has the name {name}"
        "Use a name from `nlp.component_names`, or add the component with `nlp.add_pipe` first."
    E002 = "E002" [Value]
        "no factory has the name {factory}"
        "Import the module that registers the factory, or register one with `@Language.component` \
         or `@Language.factory`."
    E003 = "E003" [Value]
        "the component {name} is not callable"
        "Add a function that takes and returns a Doc, or the name of a registered factory."
    E004 = "E004" [Value]
        "a factory named {name} is registered already"
        "Register the other factory under a different name."
    E005 = "E005" [Value]
        "the component {name} returned {type} instead of a Doc"
        "End the component with `return doc`."
    E006 = "E006" [Value]
        "conflicting positions for a component"
        "Give exactly one of before, after, first and last."
    E007 = "E007" [Value]
        "the pipeline already has a component named {name}"
        "Give another name, such as `nlp.add_pipe(factory, name=\"second\")`."
    E008 = "E008" [Value]
        "a disabled component cannot be restored because it was removed"
        "Do not remove components while a `select_pipes` block is open."
    E010 = "E010" [Value]
        "the vocab has no word vectors"
        "Load a pipeline with vectors, or call `vocab.set_vector` or \
         `vocab.reset_vectors(width=...)`."
    E011 = "E011" [Value]
        "{operator} is not a pattern operator, or repeats too many elements"
        "Use 1, ?, *, +, !, {n}, {n,m}, {n,} or {,m}, with a smaller bound if the pattern is too \
         long."
    E012 = "E012" [Value]
        "a pattern has no elements"
        "Remove the empty pattern or give it at least one element."
    E017 = "E017" [Type]
        "a value that is expected to be a string has another type"
        "Pass a str."
    E018 = "E018" [Key]
        "no string has the id {id}"
        "Add the string first (`vocab.strings.add`): ids are hashes, from which strings cannot be \
         computed. Load the vocab's strings together with data that has ids."
    E019 = "E019" [Value]
        "no move has the number {move}"
        "Use a number from the transition system's `action_types`."
    E022 = "E022" [Key]
        "no transition has the name {name}"
        "Add the label first (`add_action`), or use a name that `get_class_name` returns."
    E024 = "E024" [Value]
        "no transition is valid and free of cost in this state"
        "Add the missing labels, or check that the gold annotation can be reached (projective \
         heads, entities that do not overlap)."
    E025 = "E025" [Value]
        "the text is longer than a document can be"
        "Cut the text into parts, for example at paragraphs."
    E026 = "E026" [Index]
        "no token {i} in the document"
        "Give a position from 0 to len(doc) - 1."
    E027 = "E027" [Value]
        "words and spaces have different lengths"
        "Give one value in `spaces` for each word."
    E028 = "E028" [Value]
        "words are bytes"
        "Decode them first: `word.decode(\"utf8\")`."
    E029 = "E029" [Value]
        "noun chunks need a dependency parse"
        "Run a parser, or set heads and dependency labels, before you read noun chunks."
    E030 = "E030" [Value]
        "sentence starts are not set"
        "Add a parser or a sentencizer to the pipeline, or set `token.is_sent_start`."
    E031 = "E031" [Value]
        "a word is empty"
        "Leave out empty words; each token has at least one character."
    E033 = "E033" [Value]
        "the document to load into already has tokens"
        "Load into a new one: `Doc(vocab).from_bytes(data)`."
    E035 = "E035" [Index]
        "no span {start}..{end} in the document"
        "Give 0 <= start <= end <= len(doc); make the span again if tokens were merged or split."
    E039 = "E039" [Runtime]
        "the heads above a token form a cycle"
        "Correct the heads, so that each chain of heads ends at a root."
    E040 = "E040" [Index]
        "no token {i} in the document"
        "Give a position from 0 to len(doc) - 1, or a negative one from the end."
    E042 = "E042" [Index]
        "the token has no neighbour at this distance"
        "Check that `0 <= token.i + i < len(doc)` before you call `token.nbor(i)`."
    E043 = "E043" [Value]
        "sentence starts of a parsed document follow from its tree"
        "Change heads instead, or set sentence starts before parsing."
    E044 = "E044" [Value]
        "is_sent_start has a wrong value"
        "Set True, False or None."
    E046 = "E046" [Attribute Value]
        "no extension attribute has the name {name}"
        "Register it first: `Doc.set_extension(name, default=None)`."
    E047 = "E047" [Attribute]
        "no extension attribute has the name {name} to assign to"
        "Register it first with `set_extension`."
    E050 = "E050" [Os]
        "the path to load a pipeline from is not a folder"
        "Give the path of a folder that `nlp.to_disk` wrote; names of installed packages are not \
         looked up."
    E052 = "E052" [Os]
        "the path to load from is not a folder"
        "Give the path of a folder that `nlp.to_disk` wrote."
    E053 = "E053" [Os]
        "the folder of a pipeline has no config.cfg"
        "Check that the folder holds a whole pipeline, saved with `nlp.to_disk`."
    E055 = "E055" [Value]
        "a special case has an ORTH that is not a string"
        "Give each token of the case as `{ORTH: \"text\"}`."
    E056 = "E056" [Value]
        "the tokens of a special case do not join to its text"
        "Give ORTH values that together are the text of the case."
    E057 = "E057" [Value]
        "a slice of tokens has a step"
        "Slice without a step, then select from the list, such as `list(doc)[::2]`."
    E058 = "E058" [Key]
        "no vector has the key {key}"
        "Check with `key in vectors`, or set a vector for the key."
    E059 = "E059" [Value]
        "`Vectors.find` takes one of key, keys, row and rows"
        "Pass exactly one of them."
    E060 = "E060" [Value]
        "the vectors table has no free row"
        "Resize the table first: `vectors.resize((rows, width))`."
    E062 = "E062" [Value]
        "all 63 flags are in use"
        "Name the flag to replace by `flag_id`, or remove a getter from `vocab.lex_attr_getters`."
    E063 = "E063" [Value]
        "a flag id outside of 1 to 63"
        "Give a flag id from 1 to 63."
    E065 = "E065" [Value]
        "a width and a shape were both given"
        "Give either the width or the shape."
    E067 = "E067" [Value]
        "an inside tag of BILUO has no beginning before it"
        "Start each entity with \"B-LABEL\" or write it as \"U-LABEL\"."
    E068 = "E068" [Value]
        "a tag is not a BILUO tag"
        "Use tags that begin with B, I, L, U or O, or \"-\" for a missing value."
    E073 = "E073" [Value]
        "the vector has another width than the vocab's vectors"
        "Call `vocab.reset_vectors(width=...)` first, or give a vector of the right width."
    E082 = "E082" [Value]
        "heads and labels have different lengths"
        "Give one label for each head."
    E083 = "E083" [Value]
        "an extension takes one of default, method and getter"
        "Pass exactly one of them."
    E084 = "E084" [Value]
        "no string has the id of the label"
        "Pass the label as a string."
    E087 = "E087" [Value]
        "the style of a drawing is not known"
        "Use \"dep\", \"ent\" or \"span\"."
    E088 = "E088" [Value]
        "a text is longer than `nlp.max_length`"
        "Cut the text into parts, or raise `nlp.max_length` if enough memory is available."
    E089 = "E089" [Value]
        "an extension with a setter needs a getter"
        "Give `getter=` as well."
    E090 = "E090" [Value]
        "the extension exists already"
        "Pass `force=True` to replace it."
    E091 = "E091" [Value]
        "the getter, setter or method of an extension is not callable"
        "Pass a function."
    E093 = "E093" [Value]
        "a token is inside an entity that has no beginning"
        "Start the entity with \"B-TYPE\"."
    E096 = "E096" [Value]
        "expected a Doc, a Span or several of them to draw"
        "Pass documents, or set `manual=True` for dicts."
    E097 = "E097" [Value]
        "patterns of a ruler are not valid"
        "Correct the patterns that the message lists."
    E098 = "E098" [Value]
        "a node of a dependency pattern lacks RIGHT_ID or RIGHT_ATTRS"
        "Give the anchor both RIGHT_ID and RIGHT_ATTRS."
    E099 = "E099" [Value]
        "the first node of a dependency pattern has other keys than the anchor may have"
        "Give the anchor only RIGHT_ID and RIGHT_ATTRS."
    E100 = "E100" [Value]
        "a node of a dependency pattern lacks keys"
        "Give each node after the anchor LEFT_ID, REL_OP, RIGHT_ID and RIGHT_ATTRS."
    E101 = "E101" [Value]
        "a node refers to one that does not come before it, or has a RIGHT_ID that is taken"
        "Order the nodes so that each LEFT_ID names an earlier node; give each node its own \
         RIGHT_ID."
    E102 = "E102" [Value]
        "spans to merge overlap, or a token is to be split twice"
        "Give spans that do not overlap; `util.filter_spans` selects them."
    E103 = "E103" [Value]
        "two entities overlap"
        "Give offsets that do not overlap, or use `doc.spans`, whose spans may overlap."
    E106 = "E106" [Value]
        "an extension attribute to export does not exist"
        "Register it with `Doc.set_extension`."
    E107 = "E107" [Value]
        "the value of an extension attribute is not serializable as JSON"
        "Store strings, numbers, lists or dicts."
    E109 = "E109" [Value]
        "the component {name} raised a KeyError"
        "Initialize the pipeline first (`nlp.initialize()`); otherwise fix the KeyError, which is \
         the cause."
    E111 = "E111" [NotImplemented]
        "a token cannot be pickled"
        "Pickle the document: `doc.to_bytes()` or `pickle.dumps(doc)`."
    E112 = "E112" [NotImplemented]
        "a span cannot be pickled"
        "Pickle the document, or the Doc that `span.as_doc()` returns."
    E115 = "E115" [Value]
        "the number of heads differs from the number of parts"
        "Give as many heads as parts."
    E117 = "E117" [Value]
        "the parts of a split token do not join to its text"
        "Give parts that together are the text of the token."
    E118 = "E118" [Value]
        "no extension attribute of Token has this name"
        "Register it with `Token.set_extension`."
    E119 = "E119" [Value]
        "the extension attribute of Token is not writable"
        "Register it with a default or a setter."
    E120 = "E120" [Value]
        "\"_\" of a merge or split is not a dict"
        "Give a dict of extension attributes: `{\"_\": {\"name\": value}}`."
    E122 = "E122" [Index]
        "a token is both merged and split"
        "Merge and split in two `retokenize` blocks."
    E123 = "E123" [Index]
        "the head of a part of a split token is merged with the tokens before it"
        "Give the first token of the merged span as the head."
    E125 = "E125" [Value]
        "a condition of a pattern needs Python, or its predicate did not return True or False"
        "Return True or False from predicates; without Python, leave predicates and extension \
         attributes out of patterns."
    E132 = "E132" [Value]
        "an alias has another number of probabilities than entities"
        "Give one prior probability for each entity."
    E133 = "E133" [Value]
        "the prior probabilities of an alias add up to more than 1"
        "Scale the probabilities of the alias, so that their sum is at most 1."
    E134 = "E134" [Value]
        "an entity is not in the knowledge base"
        "Add the entity with `kb.add_entity` or `kb.set_entities` before its aliases."
    E139 = "E139" [Value]
        "the knowledge base of a component is empty"
        "Load a knowledge base: `linker.set_kb(...)`, `kb_loader` of \
         `[initialize.components.NAME]` for a training, or `KnowledgeBase::open` in Rust."
    E140 = "E140" [Value]
        "the lists of entities, frequencies and vectors differ in length"
        "Give one frequency and one vector for each entity."
    E141 = "E141" [Value]
        "the vector of an entity has another width than the knowledge base"
        "Give a vector of `kb.entity_vector_length` numbers."
    E146 = "E146" [Value]
        "the path is neither a file of patterns nor a folder"
        "Check the path; a file of patterns ends in .jsonl and has one pattern in JSON on each \
         line."
    E147 = "E147" [Runtime]
        "encodings of contexts have another width than the vectors of the knowledge base"
        "Initialize the linker with the knowledge base that it learns from."
    E148 = "E148" [Value]
        "another number of ids than entities was given"
        "Give one id for each entity of the document."
    E152 = "E152" [Value Overflow]
        "no attribute of tokens has this name"
        "Use an attribute that the documentation of Matcher lists."
    E153 = "E153" [Value]
        "the value of a pattern's attribute has a wrong type"
        "Give a string, a number, or a dict of predicates."
    E154 = "E154" [Value]
        "an element of a pattern is not valid"
        "Give a dict from attributes to values."
    E155 = "E155" [Value]
        "a pattern needs an attribute that no component has set"
        "Add the component that the message names before the matcher, or call the matcher with \
         `allow_missing=True`."
    E157 = "E157" [Value]
        "an arc of a drawing does not fit its words"
        "Give start < end within the words, and \"left\" or \"right\" for dir."
    E158 = "E158" [Value]
        "a table of this name exists already"
        "Get it with `get_table`, or remove it with `remove_table` first."
    E159 = "E159" [Key]
        "no table has this name"
        "Use a name from `lookups.tables`."
    E160 = "E160" [Value]
        "the file of a table does not exist"
        "Check the path."
    E165 = "E165" [Value]
        "the area under a ROC curve needs exactly two different reference values"
        "Check `is_binary` first, or add examples until both values occur."
    E166 = "E166" [Value]
        "two DocBins store different things"
        "Make both with the same `attrs` and `store_user_data`."
    E170 = "E170" [Value]
        "the state does not allow the transition"
        "Apply only transitions for which `is_valid` returns True."
    E171 = "E171" [Value]
        "on_match is not callable"
        "Pass a function of (matcher, doc, i, matches), or None."
    E175 = "E175" [Value]
        "no patterns have this key"
        "Check with `key in matcher` first."
    E176 = "E176" [Value]
        "an alias is not in the knowledge base"
        "Add it with `kb.add_alias`."
    E177 = "E177" [Value]
        "an entity tag is not valid"
        "Use \"B-TYPE\", \"I-TYPE\", \"O\" or None."
    E178 = "E178" [Value]
        "a token pattern is not a list of dicts"
        "Wrap the pattern: `matcher.add(key, [pattern])`."
    E179 = "E179" [Value]
        "the phrases of a key are not a list"
        "Wrap the document: `matcher.add(key, [doc])`."
    E189 = "E189" [Value]
        "an annotation has another length than the words"
        "Give one value for each word."
    E190 = "E190" [Value]
        "a head lies outside of the document"
        "Give heads as positions from 0 to len(words) - 1."
    E191 = "E191" [Value]
        "the object belongs to another document"
        "Use tokens and spans of the same Doc."
    E193 = "E193" [Value]
        "the width of vectors cannot change in place"
        "Resize with the same width, or make new vectors."
    E194 = "E194" [Value]
        "the words do not make up the text"
        "Give the words of the text in order."
    E195 = "E195" [Value]
        "the object to search is neither a Doc nor a Span"
        "Pass a Doc or a Span."
    E196 = "E196" [Value]
        "is_sent_end cannot be set"
        "Set `is_sent_start` of the next token."
    E197 = "E197" [Value]
        "a row lies outside of the vectors table"
        "Resize the table, or give a lower row."
    E198 = "E198" [Value]
        "more similar rows were asked for than there are"
        "Give an n of at most the number of rows that have keys."
    E199 = "E199" [Value]
        "an empty span cannot be merged"
        "Give a span of at least one token."
    E200 = "E200" [NotImplemented]
        "the attribute of a span is set at its root token"
        "Set it on `span.root`."
    E202 = "E202" [Value]
        "a mode is not known"
        "Use one of the modes that the message lists."
}
