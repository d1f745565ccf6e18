//! Registered types of objects: constructor, attributes, methods.

use std::sync::Arc;

use lexpool_plugin::declare::ClassDeclaration;
use lexpool_plugin::{CallC, Declaration, FieldDeclaration, Gil, Key, Param, Type};

use super::op::Op;

/// A registered type of objects. Its constructor and methods are ops outside of any namespace.
#[derive(Debug)]
pub struct ObjectClass {
    key: Box<str>,
    doc: Box<str>,
    place: Box<str>,
    constructor: Option<Arc<Op>>,
    fields: Box<[Field]>,
    methods: Box<[Arc<Op>]>,
}

/// An attribute of a type of objects.
#[derive(Debug)]
pub struct Field {
    name: Box<str>,
    ty: Type,
    doc: Box<str>,
    fixed: bool,
    get: Arc<Op>,
    set: Option<Arc<Op>>,
}

impl ObjectClass {
    pub(super) fn new(declared: ClassDeclaration, limit: Key) -> lexpool::Result<ObjectClass> {
        let ClassDeclaration { key, doc, place, constructor, fields, methods } = declared;
        let named = |name: &str, mut declared: Declaration| {
            declared.name = format!("{key}.{name}").into();
            Op::new(declared, limit).map(Arc::new)
        };
        let constructor = constructor.map(|declared| named("new", declared)).transpose()?;
        let fields = fields
            .into_iter()
            .map(|field| Field::new(field, &key, &place, |name, declared| named(name, declared)));
        let fields = fields.collect::<lexpool::Result<Vec<_>>>()?;
        let methods = methods.into_iter().map(|declared| {
            let name = declared.name.clone();
            named(&name, declared)
        });
        let methods = methods.collect::<lexpool::Result<Vec<_>>>()?;
        Ok(ObjectClass {
            key: key.into(),
            doc: doc.into(),
            place: place.into(),
            constructor,
            fields: fields.into(),
            methods: methods.into(),
        })
    }

    /// The full name, such as `text.Counter`.
    #[inline]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The description of its objects, for people.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// File and line of the declaration.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The constructor; `None` if only Rust or C makes objects.
    pub fn constructor(&self) -> Option<&Arc<Op>> {
        self.constructor.as_ref()
    }

    /// The attributes.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The methods; the object is their first argument, named `self`.
    pub fn methods(&self) -> &[Arc<Op>] {
        &self.methods
    }
}

impl Field {
    fn new(
        declared: FieldDeclaration,
        key: &str,
        place: &str,
        named: impl Fn(&str, Declaration) -> lexpool::Result<Arc<Op>>,
    ) -> lexpool::Result<Field> {
        let FieldDeclaration { name, ty, doc, fixed, get, set } = declared;
        let param = |name: &'static str, ty: Type| Param {
            name: name.into(),
            ty,
            default: None,
            keyword_only: false,
        };
        let object = param("self", Type::Object(key.to_owned()));
        let declare = |params, result, kernel| Declaration {
            name: name.clone(),
            params,
            result,
            doc: doc.clone(),
            gil: Gil::Hold,
            place: place.to_owned().into(),
            key: Key::Scalar,
            kernel,
        };
        let get = named(&name, declare(vec![object.clone()], ty.clone(), get))?;
        let set = set.map(|set| {
            named(&name, declare(vec![object, param("value", ty.clone())], Type::None, set))
        });
        let set = set.transpose()?;
        Ok(Field { name: name.into(), ty, doc: doc.into(), fixed, get, set })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The description, for people.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// Returns whether the attribute is constant, so that it is read once.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// The getter.
    pub fn get(&self) -> &Arc<Op> {
        &self.get
    }

    /// The setter; `None` if the attribute is read-only.
    pub fn set(&self) -> Option<&Arc<Op>> {
        self.set.as_ref()
    }

    /// The entry of the getter.
    pub fn reader(&self) -> (CallC, *const std::ffi::c_void) {
        self.get.entry()
    }
}
