//! spaCy's errors from E1001, and its warnings, in the cases that lexpool has.

super::codes! {
    E1001 = "E1001" [Value]
        "an attribute rule addresses a token outside of its match"
        "Give an index within the shortest match of the patterns."
    E1002 = "E1002" [Index]
        "no token {i} in the span"
        "Give a position from 0 to len(span) - 1."
    E1003 = "E1003" [Value]
        "the lemmatizer has no such mode"
        "Use \"lookup\" or \"rule\", or define `{mode}_lemmatize` in a subclass."
    E1004 = "E1004" [Value]
        "the lemmatizer lacks a table that its mode needs"
        "Install spacy-lookups-data and call the lemmatizer's `initialize()`, or pass it \
         `lookups=` with the tables that the message names."
    E1005 = "E1005" [Value]
        "a special case sets an attribute other than ORTH and NORM"
        "Set only ORTH and NORM; set other attributes in a component."
    E1007 = "E1007" [Value]
        "an operator between nodes is not known"
        "Use one of the operators that the message lists, such as \">\" or \"<<\"."
    E1008 = "E1008" [Value]
        "a dependency pattern is not a list of dicts"
        "Give each pattern as a list of dicts, one for each node."
    E1010 = "E1010" [Value]
        "two entities share a token"
        "Give spans that do not overlap; `util.filter_spans` selects them."
    E1011 = "E1011" [Value]
        "the default of `set_ents` is not known"
        "Use one of \"missing\", \"outside\", \"blocked\" and \"unmodified\"."
    E1012 = "E1012" [Value]
        "entities are not Spans"
        "Make them with `doc[start:end]`, `Span(doc, start, end, label)` or `doc.char_span`."
    E1013 = "E1013" [Value]
        "the morphological analysis belongs to another vocab"
        "Set it from text: `token.set_morph(str(analysis))`."
    E1014 = "E1014" [Value]
        "the bytes of a DocBin cannot be inflated"
        "Write the DocBin again; the bytes are truncated, damaged or not a DocBin."
    E1016 = "E1016" [Value]
        "a node of a dependency pattern has an operator that repeats tokens"
        "Remove OP from RIGHT_ATTRS; a node is one token."
    E1017 = "E1017" [Value]
        "heads are given without dependency labels"
        "Give `deps` as well, one label for each head."
    E1018 = "E1018" [Value]
        "the component needs a knowledge base in memory"
        "Set an `InMemoryLookupKB` by `set_kb`."
    E1019 = "E1019" [Value]
        "noun chunks of the language need parts of speech"
        "Run a tagger or a morphologizer, or set `pos`, before you read noun chunks."
    E1021 = "E1021" [Value]
        "the part of speech is not known"
        "Use a name from `parts_of_speech.IDS`."
    E1022 = "E1022" [Type]
        "words are neither strings nor ids"
        "Give words as str, or as ids of the vocab's strings."
    E1023 = "E1023" [Value]
        "a file of patterns cannot be read"
        "Check the path and the line that the message names."
    E1024 = "E1024" [Value]
        "no pattern has this label or id"
        "Use a label of `ruler.labels`, or an id of `ruler.ids` (`ruler.ent_ids` of an entity \
         ruler)."
    E1025 = "E1025" [Value]
        "a value of ENT_IOB is not known"
        "Use \"\", \"I\", \"O\" or \"B\", or its number from 0 to 3."
    E1026 = "E1026" [Value]
        "the bytes are not edit trees"
        "Save the lemmatizer again; its file was changed or damaged."
    E1027 = "E1027" [Value]
        "an alignment is sliced with a step"
        "Slice without a step."
    E1028 = "E1028" [Value]
        "an alignment is indexed with something other than an int or a slice"
        "Index it with an int or a slice."
    E1030 = "E1030" [Index]
        "no edit tree has the number"
        "Use the number of a tree, from 0 to the number of trees less one."
    E1031 = "E1031" [Value]
        "no transition of the gold parse is possible in this state"
        "Check that the heads of the gold annotation are projective and its labels were added."
    E1032 = "E1032" [Index]
        "a value of a span is outside of its range"
        "Give a number from 0 to 2**31 - 1."
    E1034 = "E1034" [Index]
        "no such node or edge in the graph"
        "Give a position below the number of nodes or edges."
    E1035 = "E1035" [Index]
        "no such token in a node or an alignment"
        "Give a position below the length of the node or alignment."
    E1036 = "E1036" [Index]
        "the node is empty, so it has no tokens"
        "Check `node.is_none` before you use its tokens."
    E1037 = "E1037" [Value]
        "an attribute is not known"
        "Use a name or number from `lexpool.attrs.IDS`."
    E1038 = "E1038" [Value]
        "the dict is not in the form of `Doc.to_json`"
        "Correct the fields that the message lists."
    E1039 = "E1039" [Value]
        "offsets of a JSON document do not fit its tokens"
        "Check that the tokens' offsets belong to the text."
    E1040 = "E1040" [Value]
        "only some tokens of a JSON document have an attribute"
        "Give the attribute for every token or for none."
    E1041 = "E1041" [Value]
        "the input of the pipeline has a wrong type"
        "Pass a str, a Doc, or the bytes of a Doc."
    E1042 = "E1042" [Value]
        "components are both enabled and disabled"
        "Name each component in one of the two lists, `enable` or `disable`."
    E1043 = "E1043" [Value]
        "the threshold of the linker is not a probability"
        "Give None or a number from 0 to 1."
    E1044 = "E1044" [Value]
        "the size of batches of candidates is less than 1"
        "Give 1 or more."
    E1045 = "E1045" [NotImplemented]
        "a subclass lacks a method of its abstract class"
        "Define the method that the message names."
    E1046 = "E1046" [Type]
        "BaseVectors cannot be instantiated"
        "Use `Vectors`, or a subclass of `BaseVectors` with its methods."
    E1051 = "E1051" [Value]
        "spans that do not overlap need one label each"
        "Set `max_positive` to 1, or allow overlaps."
    E1052 = "E1052" [Value]
        "a span of a group does not fit the other document's tokens"
        "Copy the group to a document with the same token boundaries."
    W005 = "W005" [Warning]
        "the document has no dependency parse to draw"
        "Add a parser to the pipeline, or set heads and labels, before you draw."
    W006 = "W006" [Warning]
        "the document has no entities to draw"
        "Add a component that sets entities, or set `doc.ents`, before you draw."
    W007 = "W007" [Warning]
        "similarity is computed without word vectors"
        "Load a pipeline with vectors."
    W008 = "W008" [Warning]
        "the similarity of objects without vectors is 0"
        "Check `has_vector` of both objects first."
    W012 = "W012" [Warning]
        "a phrase has annotation that is not compared"
        "Make phrases with `nlp.make_doc`, which sets no annotation and is faster."
    W017 = "W017" [Warning]
        "an alias is in the knowledge base already"
        "Use `kb.append_alias` to give it more entities."
    W018 = "W018" [Warning]
        "an entity is in the knowledge base already"
        "Leave it out, or call `kb.set_entities` to replace all entities."
    W021 = "W021" [Warning]
        "a phrase is cut before a token with an id that ends phrases"
        "Remove the token that the message names from the phrase."
    W024 = "W024" [Warning]
        "an alias has an entity already"
        "Leave it out, or give `ignore_warnings=True`."
    W028 = "W028" [Warning]
        "an array has another type than uint64"
        "Convert it: `array.astype(\"uint64\")`."
    W030 = "W030" [Warning]
        "some entities do not begin and end between tokens"
        "Check the offsets with `offsets_to_biluo_tags`."
    W035 = "W035" [Warning]
        "a predicate of a pattern is not known"
        "Use one of the predicates in the documentation of Matcher; others are ignored."
    W036 = "W036" [Warning]
        "the matcher has no patterns"
        "Add patterns before you search."
    W096 = "W096" [Warning]
        "disable_pipes is deprecated"
        "Call `select_pipes(disable=[...])`, which does the same."
    W100 = "W100" [Warning]
        "a morphological feature is not valid and is dropped"
        "Give FEATS text or a dict of strings."
    W101 = "W101" [Warning]
        "an extension attribute has no place in a joined document"
        "Set it on the joined document."
    W102 = "W102" [Warning]
        "user data has no place in a joined document"
        "Set it on the joined document."
    W105 = "W105" [Warning]
        "`pipe` of a matcher is deprecated"
        "Call the matcher with each document instead."
    W107 = "W107" [Warning]
        "the property is deprecated"
        "Use `Doc.has_annotation` instead."
    W108 = "W108" [Warning]
        "the rule lemmatizer needs parts of speech"
        "Add a component that sets `token.pos` before the lemmatizer."
    W109 = "W109" [Warning]
        "hooks are functions and are not saved"
        "Set the hooks again after loading; exclude \"user_hooks\" to silence the warning."
    W110 = "W110" [Warning]
        "a node of a dependency pattern fits several tokens at once"
        "Remove the operator from the node's attributes."
    W113 = "W113" [Warning]
        "a component comes from a pipeline with other vectors"
        "Give both pipelines the same vectors, or load the source with the vocab of the other one."
    W115 = "W115" [Warning]
        "the method does nothing for floret vectors"
        "Leave the call out; floret vectors cannot be changed."
    W116 = "W116" [Warning]
        "the attribute cannot be cleaned up"
        "Use an attribute of Doc that can be set."
    W117 = "W117" [Warning]
        "no spans to draw in the group"
        "Pass `options={\"spans_key\": ...}` with one of the groups."
    W119 = "W119" [Warning]
        "the name in a component's config is not used"
        "Pass `name=` to `add_pipe`."
    W120 = "W120" [Warning]
        "several span groups have the same name"
        "Give each span group a name of its own."
    W126 = "W126" [Warning]
        "a node of a dependency pattern has fields that are not used"
        "Remove the fields that the message names."
    E1053 = "E1053" [Value]
        "the lengths of spans are out of range"
        "Give lengths of at least 1, the shortest first, or None."
    E1057 = "E1057" [Value]
        "a text categorizer uses no reduction"
        "Set at least one of `use_reduce_first`, `_last`, `_max`, `_mean` to true."
}
