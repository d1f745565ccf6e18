//! Declarations of ops and types of objects, which the macros `op!` and `class!` build.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::ffi::c_void;
use std::fmt;
use std::ptr;

use crate::function::{OpFn, entry};
use crate::object::Class;
use crate::raw::CallC;
use crate::types::Type;

/// An op as declared, before it is registered.
#[derive(Debug)]
pub struct Declaration {
    /// `namespace.name`, each part a Python identifier.
    pub name: Cow<'static, str>,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The type of the result.
    pub result: Type,
    /// The description, for people.
    pub doc: Cow<'static, str>,
    /// The GIL during a call.
    pub gil: Gil,
    /// File and line of the declaration.
    pub place: Cow<'static, str>,
    /// The hardware that the kernel needs.
    pub key: Key,
    /// The implementation.
    pub kernel: Kernel,
}

/// A parameter of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its type.
    pub ty: Type,
    /// The default; `None` if the argument is required.
    pub default: Option<Literal>,
    /// True for a keyword-only argument.
    pub keyword_only: bool,
}

/// A default value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// Python's `None`.
    None,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A string.
    Str(Cow<'static, str>),
}

macro_rules! literals {
    ($($type:ty => |$value:ident| $made:expr;)*) => {$(
        impl From<$type> for Literal {
            fn from($value: $type) -> Literal {
                $made
            }
        }
    )*};
}

literals! {
    bool => |value| Literal::Bool(value);
    i32 => |value| Literal::Int(value.into());
    i64 => |value| Literal::Int(value);
    f64 => |value| Literal::Float(value);
    &'static str => |value| Literal::Str(value.into());
    Option<()> => |_value| Literal::None;
}

impl fmt::Display for Literal {
    /// Formats the value as a Python literal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::None => f.write_str("None"),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::Int(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Str(value) => write!(f, "{:?}", &**value),
        }
    }
}

/// Handling of the GIL while an op runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gil {
    /// Held: right for less than about two microseconds of work.
    #[default]
    Hold,
    /// Released.
    Release,
    /// Released if the arguments have at least this size in all: bytes, items, numbers or tokens.
    BySize(usize),
}

/// The hardware that a kernel needs. A call dispatches to the best kernel that the machine
/// supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
#[non_exhaustive]
pub enum Key {
    /// Any machine.
    #[default]
    Scalar = 0,
    /// ARM's NEON.
    Neon = 1,
    /// x86's SSE 4.2.
    Sse42 = 2,
    /// x86's AVX2 with FMA.
    Avx2 = 3,
    /// x86's AVX-512 (F, BW and VL).
    Avx512 = 4,
    /// Many cores.
    Parallel = 5,
}

impl Key {
    /// All keys, the best last.
    pub const ALL: [Key; 6] =
        [Key::Scalar, Key::Neon, Key::Sse42, Key::Avx2, Key::Avx512, Key::Parallel];

    /// The name in messages, in `LEXPOOL_CPU` and in `op!`.
    pub const fn name(self) -> &'static str {
        match self {
            Key::Scalar => "scalar",
            Key::Neon => "neon",
            Key::Sse42 => "sse42",
            Key::Avx2 => "avx2",
            Key::Avx512 => "avx512",
            Key::Parallel => "parallel",
        }
    }

    /// Returns the key of a name.
    pub fn from_name(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }
}

/// An implementation of an op: its entry points and their context.
pub struct Kernel {
    /// The entry through C.
    pub(crate) call: CallC,
    /// The first argument of the entries.
    pub(crate) context: *const c_void,
    /// The marker `fn(A, B) -> R` of the typed entry, and the entry.
    pub(crate) typed: Option<(TypeId, *const ())>,
    /// Owner of the context.
    pub(crate) keep: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: the context belongs to a `Send + Sync` function, or is null.
unsafe impl Send for Kernel {}
// SAFETY: the context belongs to a `Send + Sync` function, or is null.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Makes a kernel of a C function and its context.
    ///
    /// # Safety
    ///
    /// The entry may be called with the context, from any thread, for as long as `keep` lives.
    pub const unsafe fn of_entry(
        call: CallC,
        context: *const c_void,
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Kernel {
        Kernel { call, context, typed: None, keep }
    }

    /// The C entry and its context, valid as long as the kernel.
    #[inline]
    pub fn entry(&self) -> (CallC, *const c_void) {
        (self.call, self.context)
    }

    /// The marker `fn(A, B) -> R` of the typed entry, and the entry.
    pub fn typed(&self) -> Option<(TypeId, *const ())> {
        self.typed
    }

    /// Removes the typed entry.
    #[must_use]
    pub fn untyped(self) -> Kernel {
        Kernel { typed: None, ..self }
    }

    /// Makes a kernel of a function, or of a closure without captures; one with captures does not
    /// compile.
    ///
    /// ```compile_fail
    /// let step = 3_i64;
    /// lexpool_plugin::Kernel::stateless(move |a: i64| a + step);
    /// ```
    pub fn stateless<F: OpFn<M>, M: 'static>(_: F) -> Kernel {
        const { assert!(size_of::<F>() == 0, "an op holds nothing; make a functor by `make`") };
        Kernel::at::<F, M>(ptr::dangling::<F>().cast(), None)
    }

    /// Makes a kernel of a closure with captures, which all callers share.
    pub fn functor<F: OpFn<M>, M: 'static>(f: F) -> Kernel {
        let function = Box::new(f);
        let context = ptr::from_ref(&*function).cast();
        Kernel::at::<F, M>(context, Some(function))
    }

    fn at<F: OpFn<M>, M: 'static>(
        context: *const c_void,
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Kernel {
        let typed = Some((TypeId::of::<M>(), F::typed()));
        Kernel { call: entry::<F, M>, context, typed, keep }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("stateless", &self.keep.is_none()).finish_non_exhaustive()
    }
}

/// A type of objects as declared.
#[derive(Debug)]
pub struct ClassDeclaration {
    /// `namespace.Name`.
    pub key: Cow<'static, str>,
    /// The description of its objects, for people.
    pub doc: Cow<'static, str>,
    /// File and line of the declaration.
    pub place: Cow<'static, str>,
    /// The constructor; `None` if Python cannot make objects of the type.
    pub constructor: Option<Declaration>,
    /// The attributes.
    pub fields: Vec<FieldDeclaration>,
    /// The methods; the object is their first argument.
    pub methods: Vec<Declaration>,
}

/// An attribute of a type of objects.
#[derive(Debug)]
pub struct FieldDeclaration {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its type.
    pub ty: Type,
    /// The description, for people.
    pub doc: Cow<'static, str>,
    /// True for a constant attribute, which is read once.
    pub fixed: bool,
    /// The getter.
    pub get: Kernel,
    /// The setter.
    pub set: Option<Kernel>,
}

impl ClassDeclaration {
    /// Starts a declaration without attributes and methods.
    pub fn new<T: Class>(doc: &'static str, place: &'static str) -> ClassDeclaration {
        ClassDeclaration {
            key: T::KEY.into(),
            doc: doc.into(),
            place: place.into(),
            constructor: None,
            fields: Vec::new(),
            methods: Vec::new(),
        }
    }
}

/// Takes declarations: a registry's batch, or a plugin's list.
pub trait Registrar {
    /// Takes an op.
    fn op(&mut self, declaration: Declaration);

    /// Takes a type of object.
    fn class(&mut self, declaration: ClassDeclaration);
}

/// The part of an `op!` declaration beside the function.
#[doc(hidden)]
#[derive(Debug)]
pub struct OpText<const N: usize> {
    pub name: &'static str,
    pub names: [(&'static str, Option<Literal>, bool); N],
    pub doc: &'static str,
    pub place: &'static str,
    pub gil: Gil,
    pub key: Key,
}

impl<const N: usize> OpText<N> {
    #[doc(hidden)]
    pub fn stateless<F: OpFn<M>, M: 'static>(self, f: F) -> Declaration {
        self.declare::<F, M>(Kernel::stateless(f))
    }

    #[doc(hidden)]
    pub fn functor<F: OpFn<M>, M: 'static>(self, f: F) -> Declaration {
        self.declare::<F, M>(Kernel::functor(f))
    }

    fn declare<F: OpFn<M>, M: 'static>(self, kernel: Kernel) -> Declaration {
        const { assert!(N == F::ARITY, "as many names as the function has arguments") };
        let param = |((name, default, keyword_only), ty)| Param {
            name: Cow::Borrowed(name),
            ty,
            default,
            keyword_only,
        };
        Declaration {
            name: self.name.into(),
            params: self.names.into_iter().zip(F::params()).map(param).collect(),
            result: F::result(),
            doc: self.doc.into(),
            gil: self.gil,
            place: self.place.into(),
            key: self.key,
            kernel,
        }
    }
}

#[doc(hidden)]
pub fn field<F: OpFn<M>, M: 'static>(
    name: &'static str,
    doc: &'static str,
    fixed: bool,
    get: F,
    set: Option<Kernel>,
) -> FieldDeclaration {
    const { assert!(F::ARITY == 1, "a field is read of the object alone") };
    FieldDeclaration {
        name: name.into(),
        ty: F::result(),
        doc: doc.into(),
        fixed,
        get: Kernel::stateless(get),
        set,
    }
}

/// Declares an op by a line; the types of its arguments and result are the function's.
///
/// `op!(registrar, "namespace.name"(a, b = 1, *, c = "x") = function, "What it does.")`. Arguments
/// have names, perhaps defaults, and after `*` are given by name only. The function is an `fn` or a
/// closure that captures nothing; a functor is made, once, by `= make expression`. At the end stand
/// `gil = hold`, `release` or `by_size(n)`, and `key = avx2` and the like for a kernel of an op
/// that is already declared.
///
/// ```
/// use lexpool_plugin::{Declaration, ClassDeclaration, Registrar, op};
///
/// struct Ops(Vec<Declaration>);
/// impl Registrar for Ops {
///     fn op(&mut self, declaration: Declaration) {
///         self.0.push(declaration);
///     }
///     fn class(&mut self, _: ClassDeclaration) {}
/// }
///
/// let mut ops = Ops(Vec::new());
/// op!(ops, "text.repeat"(text, *, times = 2) = |text: &str, times: usize| text.repeat(times),
///     "The text, over and over.");
/// assert_eq!(ops.0[0].params[1].ty.to_string(), "int");
/// assert_eq!(ops.0[0].signature(), "repeat(text: str, *, times: int = 2) -> str");
/// ```
#[macro_export]
macro_rules! op {
    ($to:expr, $name:literal ($($params:tt)*) = make $f:expr, $doc:expr $(, $($tail:tt)*)?) => {
        $crate::Registrar::op(
            &mut $to,
            $crate::__said!($name ($($params)*) $doc; $($($tail)*)?).functor($f),
        )
    };
    ($to:expr, $name:literal ($($params:tt)*) = $f:expr, $doc:expr $(, $($tail:tt)*)?) => {
        $crate::Registrar::op(
            &mut $to,
            $crate::__said!($name ($($params)*) $doc; $($($tail)*)?).stateless($f),
        )
    };
}

/// Declares a type of object: how it is made, what is read of it, what it does.
///
/// `class!(registrar, Type, "What it is.", { ... })`, with lines such as `new(a, b = 1) = function,
/// "doc";`, `fixed name = getter, "doc";` for what never changes, `field name = getter, "doc";`,
/// `field name = getter, set setter, "doc";` and `fn name(a, b) = method, "doc";`. Methods take the
/// object first, which has no name.
///
/// ```
/// use lexpool_plugin::{Class, ClassDeclaration, Declaration, Object, Registrar, class};
///
/// struct Range(i64, i64);
/// impl Class for Range {
///     const KEY: &'static str = "text.Range";
/// }
/// # struct Types(Vec<ClassDeclaration>);
/// # impl Registrar for Types {
/// #     fn op(&mut self, _: Declaration) {}
/// #     fn class(&mut self, declaration: ClassDeclaration) {
/// #         self.0.push(declaration);
/// #     }
/// # }
/// # let mut types = Types(Vec::new());
///
/// class!(types, Range, "From a start to an end.", {
///     new(start, end) = |start: i64, end: i64| Object::new(Range(start, end)), "Start and end.";
///     fixed start = |range: &Range| range.0, "The first number.";
///     fn contains(n) = |range: &Range, n: i64| range.0 <= n && n < range.1, "Returns True if n is inside.";
/// });
/// # assert_eq!(types.0[0].methods[0].params.len(), 2);
/// ```
#[macro_export]
macro_rules! class {
    ($to:expr, $type:ty, $doc:expr, { $($body:tt)* }) => {{
        #[allow(unused_mut, reason = "a type may have nothing")]
        let mut declared = $crate::ClassDeclaration::new::<$type>(
            $doc,
            concat!(file!(), ":", line!()),
        );
        $crate::__class!(declared; $($body)*);
        $crate::Registrar::class(&mut $to, declared);
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __class {
    ($class:ident;) => {};
    ($class:ident; new($($params:tt)*) = $f:expr, $doc:expr; $($rest:tt)*) => {
        $class.constructor = Some($crate::__said!("new" ($($params)*) $doc;).stateless($f));
        $crate::__class!($class; $($rest)*);
    };
    ($class:ident; fixed $name:ident = $get:expr, $doc:expr; $($rest:tt)*) => {
        $class.fields.push($crate::declare::field(stringify!($name), $doc, true, $get, None));
        $crate::__class!($class; $($rest)*);
    };
    ($class:ident; field $name:ident = $get:expr, set $set:expr, $doc:expr; $($rest:tt)*) => {
        let set = Some($crate::Kernel::stateless($set));
        $class.fields.push($crate::declare::field(stringify!($name), $doc, false, $get, set));
        $crate::__class!($class; $($rest)*);
    };
    ($class:ident; field $name:ident = $get:expr, $doc:expr; $($rest:tt)*) => {
        $class.fields.push($crate::declare::field(stringify!($name), $doc, false, $get, None));
        $crate::__class!($class; $($rest)*);
    };
    ($class:ident; fn $name:ident ($($params:tt)*) = $f:expr, $doc:expr $(, gil = $gil:ident $(($size:expr))?)?; $($rest:tt)*) => {
        $class.methods.push(
            $crate::__said!((stringify!($name)) (self, $($params)*) $doc; $(gil = $gil $(($size))?)?)
                .stateless($f),
        );
        $crate::__class!($class; $($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __said {
    ($name:tt ($($params:tt)*) $doc:expr; $($tail:tt)*) => {{
        #[allow(unused_mut, unused_assignments, reason = "only some have a tail")]
        let (mut gil, mut key) = ($crate::Gil::Hold, $crate::Key::Scalar);
        $crate::__tail!(gil key; $($tail)*);
        $crate::declare::OpText {
            name: $name,
            names: $crate::__names!([] false; $($params)*),
            doc: $doc,
            place: concat!(file!(), ":", line!()),
            gil,
            key,
        }
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ([$($done:tt)*] $kw:tt;) => { [$($done)*] };
    ([$($done:tt)*] $kw:tt; * $(, $($rest:tt)*)?) => {
        $crate::__names!([$($done)*] true; $($($rest)*)?)
    };
    ([$($done:tt)*] $kw:tt; $name:tt = $default:expr $(, $($rest:tt)*)?) => {
        $crate::__names!(
            [$($done)* (stringify!($name), Some($crate::Literal::from($default)), $kw),] $kw;
            $($($rest)*)?
        )
    };
    ([$($done:tt)*] $kw:tt; $name:tt $(, $($rest:tt)*)?) => {
        $crate::__names!([$($done)* (stringify!($name), None, $kw),] $kw; $($($rest)*)?)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __tail {
    ($gil:ident $key:ident; $(,)?) => {};
    ($gil:ident $key:ident; gil = hold $(, $($rest:tt)*)?) => {
        $gil = $crate::Gil::Hold;
        $crate::__tail!($gil $key; $($($rest)*)?);
    };
    ($gil:ident $key:ident; gil = release $(, $($rest:tt)*)?) => {
        $gil = $crate::Gil::Release;
        $crate::__tail!($gil $key; $($($rest)*)?);
    };
    ($gil:ident $key:ident; gil = by_size($size:expr) $(, $($rest:tt)*)?) => {
        $gil = $crate::Gil::BySize($size);
        $crate::__tail!($gil $key; $($($rest)*)?);
    };
    ($gil:ident $key:ident; key = $name:ident $(, $($rest:tt)*)?) => {
        $key = const {
            match $crate::Key::from_ident(stringify!($name)) {
                Some(key) => key,
                None => panic!("no such key: scalar, neon, sse42, avx2, avx512, parallel"),
            }
        };
        $crate::__tail!($gil $key; $($($rest)*)?);
    };
}

impl Key {
    #[doc(hidden)]
    pub const fn from_ident(name: &str) -> Option<Key> {
        let mut i = 0;
        while i < Key::ALL.len() {
            if same(Key::ALL[i].name().as_bytes(), name.as_bytes()) {
                return Some(Key::ALL[i]);
            }
            i += 1;
        }
        None
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

impl Declaration {
    /// Name, arguments with types and defaults, and result, as Python writes them.
    pub fn signature(&self) -> String {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        format!("{name}({}) -> {}", params(&self.params), self.result)
    }
}

/// Arguments as Python writes them.
pub fn params(params: &[Param]) -> String {
    let mut parts = Vec::new();
    for (i, param) in params.iter().enumerate() {
        if param.keyword_only && (i == 0 || !params[i - 1].keyword_only) {
            parts.push("*".to_owned());
        }
        let default =
            param.default.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        parts.push(format!("{}: {}{default}", param.name, param.ty));
    }
    parts.join(", ")
}
