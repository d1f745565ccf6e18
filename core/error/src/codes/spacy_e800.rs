//! spaCy's errors E849 to E999, in the cases that lexpool has.

super::codes! {
    E849 = "E849" [Value]
        "the method works only on vectors of the class Vectors"
        "Use `lexpool.vectors.Vectors`."
    E853 = "E853" [Value]
        "a factory's name contains a dot"
        "Choose a name without dots."
    E854 = "E854" [Value]
        "the filter of a span ruler left overlapping entities"
        "Return spans that do not overlap, as `util.filter_spans` does."
    E855 = "E855" [Value]
        "the object belongs to another document than the span group"
        "Use spans of `group.doc`."
    E856 = "E856" [Index]
        "no span {i} in the group"
        "Give a position from 0 to len(group) - 1."
    E858 = "E858" [Value]
        "the operation needs vectors with keys"
        "Use the default mode; floret vectors have no keys."
    E859 = "E859" [Value]
        "vectors in mode floret cannot be cleared"
        "Make new vectors."
    E861 = "E861" [Value]
        "vectors in mode floret have no keys"
        "Leave `keys` out."
    E862 = "E862" [Value]
        "hash_count is outside of 1 to 4"
        "Give a number from 1 to 4."
    E863 = "E863" [Value]
        "maxn is less than minn"
        "Give maxn >= minn."
    E864 = "E864" [Value]
        "vectors in mode floret need data"
        "Pass `data=`."
    E865 = "E865" [Runtime]
        "the document of the span group no longer exists"
        "Keep a reference to the Doc."
    E866 = "E866" [Value]
        "the document of the span groups no longer exists"
        "Keep a reference to the Doc."
    E868 = "E868" [Value]
        "a span is given both as an entity and as a span that must not be one"
        "Remove one of the two."
    E869 = "E869" [Value]
        "a label of the entity recognizer begins with \"!\""
        "Rename the label."
    E870 = "E870" [Value]
        "the DocBin cannot be written"
        "See the cause in the message."
    E873 = "E873" [Value]
        "a span group has a span without a place in the joined document"
        "Check the groups of the documents that are joined."
    E879 = "E879" [Value]
        "span annotation is not valid"
        "Give a dict of lists of (start, end, label, kb_id)."
    E894 = "E894" [NotImplemented]
        "the language has no rules for noun chunks"
        "Use `doc.noun_chunks_iterator` or a language with rules."
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
    E930 = "E930" [Type]
        "examples are missing, or not given by a function"
        "Pass a function that returns at least one Example."
    E931 = "E931" [NotImplemented]
        "the component has no `__call__`"
        "Implement `__call__` in the subclass."
    E944 = "E944" [Key]
        "the source pipeline has no such component"
        "Use a name from `source.component_names`."
    E945 = "E945" [Value]
        "the source of a component is not a pipeline"
        "Pass a loaded `Language`."
    E947 = "E947" [Value]
        "the value of greedy is not known"
        "Use \"FIRST\", \"LONGEST\" or None."
    E948 = "E948" [Value]
        "dependency patterns are not a list of patterns"
        "Wrap the pattern: `matcher.add(key, [pattern])`."
    E949 = "E949" [Value]
        "two tokenizations to align are of different texts"
        "Align tokenizations of one text; only case and whitespace may differ."
    E955 = "E955" [Value]
        "no lookup tables for the language"
        "Give the tables, or install a package that has them."
    E956 = "E956" [Value]
        "the pipeline lists a component that has no section"
        "Add `[components.NAME]` to the configuration."
    E959 = "E959" [Value]
        "no position for the component"
        "Give a name or position that the pipeline has."
    E960 = "E960" [Value]
        "the component has no settings"
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
        "Register a factory: `@Language.factory(\"name\")`."
    E966 = "E966" [Value]
        "the component was given as an object"
        "Give the name of a registered factory as a string."
    E967 = "E967" [Value]
        "nothing is known about this component or factory"
        "Use a name that is registered or in the pipeline."
    E968 = "E968" [Value]
        "the replacement of a component is not the name of a factory"
        "Give the name of a registered factory."
    E969 = "E969" [Type]
        "values of an attribute are not strings"
        "Give strings."
    E971 = "E971" [Value]
        "an array or a list has another length than the document"
        "Give one row for each token."
    E972 = "E972" [Type Value]
        "an argument has a wrong type"
        "Pass what the message expects."
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
        "Add `factory = \"NAME\"` to the section."
    E985 = "E985" [Value]
        "the configuration has no section `[nlp]`"
        "Give a whole configuration, such as `nlp.config`."
    E991 = "E991" [Value]
        "select_pipes was called without names"
        "Pass `enable=` or `disable=`."
    E992 = "E992" [Value]
        "enable and disable contradict each other"
        "Pass only one of them."
    E997 = "E997" [Value]
        "the tokens of a special case do not make up its text"
        "Give ORTH values that join to the text."
    E999 = "E999" [Value]
        "documents to join have different vocabs"
        "Make all documents with one vocab."
}
