//! Loading of plugins: shared libraries that add ops and types of objects.
//!
//! Holds unsafe code: opens libraries and calls their entry, which the caller of [`Registry::load`]
//! vouches for.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use lexpool::codes;
use lexpool::escape::shown;
use lexpool_plugin::abi::{
    ClassDefC, ENTRY, EntryC, FieldDefC, HEAD, HostC, MAGIC, MAJOR, MINOR, OpDefC, ParamC, PluginC,
    serves,
};
use lexpool_plugin::{Failure, FailureKind, Owned};
use lexpool_structs::ABI_VERSION;

use super::host::HOST;
use super::library::{no_library, open};
use super::loaded::Loaded;
use super::table::Registry;
use super::{Batch, Registration, plugin_tables};

impl Registry {
    /// Loads a plugin: all of its ops and types, or nothing if one is not valid. Loading a file
    /// again returns the same result and installs nothing.
    ///
    /// An installed library is never closed: its objects, functions and results may outlive the
    /// registry. A rejected one is closed.
    ///
    /// # Errors
    ///
    /// `plugin-open` if the file is not a library for this machine, `plugin-symbol` if it is not a
    /// plugin, `plugin-version` if it was built for an incompatible lexpool, `plugin-changed` if
    /// the file differs from the one loaded before, `plugin-refused` if its tables are not valid or
    /// its names are taken.
    ///
    /// # Safety
    ///
    /// The file, if it is a library, is safe to open: its code runs in this process, and follows
    /// the contract in `lexpool_ops.h`.
    pub unsafe fn load(&self, path: &Path) -> Result<Arc<Loaded>, Failure> {
        let named_path = path;
        let path = path.canonicalize().map_err(|error| no_library(named_path, &error))?;
        let stamp = path.metadata().map(|metadata| stamp(&metadata));
        let stamp = stamp.map_err(|error| no_library(named_path, &error))?;
        if let Some(loaded) = self.plugins.lock().get(&path) {
            return same(loaded, stamp);
        }
        // No lock is held while the library's code runs, so two threads may come this far. The
        // system opens a file once, and its entry returns the same tables each time.
        //
        // SAFETY: this function's contract.
        let (library, entry) = unsafe { open(&path)? };
        // SAFETY: this function's contract; the library is open.
        let declarations = unsafe { read(entry, &path.to_string_lossy()) };
        let refused = |failure: Failure| refused(&path, &failure);
        let (name, version, batch) = declarations.map_err(refused)?;
        let mut plugins = self.plugins.lock();
        if let Some(loaded) = plugins.get(&path) {
            return same(loaded, stamp);
        }
        let names = batch.names();
        if let Err(failure) = self.install(batch, false).map(Registration::keep) {
            if failure.kind() == FailureKind::Memory {
                // Only then may a part of it be there already.
                std::mem::forget(library);
            }
            return Err(refused(failure));
        }
        // From here on its functions are called by pointer, so it must stay open.
        std::mem::forget(library);
        let (name, version) = (name.to_owned(), version.to_owned());
        let loaded = Arc::new(Loaded { name, version, path: path.clone(), names, stamp });
        plugins.insert(path, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Installs a plugin that is linked into this program, as [`load`](Registry::load) does one of
    /// a library. Returns the names of its ops and types; [`plugins`](Registry::plugins) does not
    /// list it.
    ///
    /// # Errors
    ///
    /// `plugin-version` and `plugin-refused`, as for [`load`](Registry::load), with `place`.
    ///
    /// # Safety
    ///
    /// The entry follows the contract in `lexpool_ops.h`. Its tables may change after the call; its
    /// functions and their contexts stay valid for the life of the process.
    pub unsafe fn install_linked(
        &self,
        entry: EntryC,
        place: &str,
    ) -> Result<Vec<String>, Failure> {
        // SAFETY: this function's contract.
        let (_, _, batch) =
            unsafe { read(entry, place) }.map_err(|failure| refused(Path::new(place), &failure))?;
        let names = batch.names();
        self.install(batch, false)
            .map(Registration::keep)
            .map_err(|failure| refused(Path::new(place), &failure))?;
        Ok(names)
    }

    /// The loaded plugins, by path.
    pub fn plugins(&self) -> Vec<Arc<Loaded>> {
        let mut loaded: Vec<_> = self.plugins.lock().values().cloned().collect();
        loaded.sort_by(|a, b| a.path.cmp(&b.path));
        loaded
    }
}

fn stamp(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

fn same(loaded: &Arc<Loaded>, stamp: (u64, Option<SystemTime>)) -> Result<Arc<Loaded>, Failure> {
    if loaded.stamp == stamp {
        return Ok(Arc::clone(loaded));
    }
    let text = format!(
        "{}: the file is not the one that was loaded as {} {}; a plugin is never unloaded, so start \
         a new process to load it anew",
        shown(&loaded.path),
        loaded.name,
        loaded.version
    );
    Err(Failure::new(FailureKind::State, "plugin-changed", text))
}

/// Reads the name, the version and the declarations of a plugin.
///
/// # Safety
///
/// As for [`ask`]. The name and the version are good as long as the plugin's tables.
unsafe fn read(entry: EntryC, place: &str) -> Result<(&'static str, &'static str, Batch), Failure> {
    // SAFETY: this function's contract.
    unsafe {
        let plugin = ask(entry)?;
        let (name, version) = plugin_tables::name_and_version(&plugin)?;
        let batch = plugin_tables::batch(&plugin, place)
            .map_err(|fault| fault.context(format_args!("{name} {version}")))?;
        Ok((name, version, batch))
    }
}

/// Adds the path to a failure, and maps its code to those of loading.
fn refused(path: &Path, failure: &Failure) -> Failure {
    let (code, text) = (failure.code(), failure.message());
    let text = format!("{}: {text}", shown(path));
    let code = if code.starts_with("plugin-") {
        code.to_owned()
    } else {
        codes::PLUGIN_REFUSED.to_string()
    };
    Failure::new(FailureKind::State, code, text)
}

/// Calls a plugin's entry for its tables, and checks their version.
///
/// # Safety
///
/// The entry belongs to a plugin whose library is open, or which is linked into the program.
unsafe fn ask(entry: EntryC) -> Result<PluginC, Failure> {
    let mut plugin = PluginC::empty();
    // SAFETY: the host table is static, and the struct is as large as it states.
    let status = unsafe { entry(&raw const HOST, &raw mut plugin) };
    if plugin.magic != MAGIC || (plugin.size as usize) < HEAD {
        let text = format!("it did not fill in the table that {ENTRY} is given");
        return Err(Failure::new(FailureKind::State, "plugin-version", text));
    }
    let fits =
        serves((MAJOR, MINOR), (plugin.major, plugin.minor)) && plugin.records == ABI_VERSION;
    let sizes = [
        ("lexpool_plugin", plugin.size, size_of::<PluginC>()),
        ("lexpool_op_def", plugin.op_size, size_of::<OpDefC>()),
        ("lexpool_param", plugin.param_size, size_of::<ParamC>()),
        ("lexpool_class_def", plugin.class_size, size_of::<ClassDefC>()),
        ("lexpool_field_def", plugin.field_size, size_of::<FieldDefC>()),
    ];
    let wrong = sizes.iter().find(|(_, its, ours)| *its as usize != *ours);
    let larger = plugin.host_size as usize > size_of::<HostC>();
    if !fits || wrong.is_some() || larger {
        let text = match wrong {
            Some((name, its, ours)) if fits => {
                format!("its {name} has {its} bytes, that of this lexpool {ours}")
            }
            _ if fits => format!(
                "it needs {} bytes of lexpool's table of functions, which has {}",
                plugin.host_size,
                size_of::<HostC>()
            ),
            _ => format!(
                "it was built for version {}.{} of the plugin interface and version {} of the \
                 records; this lexpool has {MAJOR}.{MINOR} and {ABI_VERSION}",
                plugin.major, plugin.minor, plugin.records
            ),
        };
        let newer = (plugin.major, plugin.minor) > (MAJOR, MINOR) || larger;
        let hint = if newer { "install a newer lexpool" } else { "build it anew" };
        return Err(Failure::new(FailureKind::State, "plugin-version", format!("{text}: {hint}")));
    }
    match status {
        0 => Ok(plugin),
        2 => {
            // SAFETY: the plugin gives its failure away.
            let why = Failure::from_value(unsafe { Owned::from_c(plugin.failure) });
            let text = format!("it did not register: {}", why.message());
            Err(Failure::new(FailureKind::State, "plugin-refused", text))
        }
        1 => {
            let text = format!(
                "it refuses this lexpool, which has version {MAJOR}.{MINOR} of the plugin interface \
                 and {ABI_VERSION} of the records; it says of itself {}.{} and {}",
                plugin.major, plugin.minor, plugin.records
            );
            Err(Failure::new(FailureKind::State, "plugin-version", text))
        }
        other => {
            let text = format!("its entry gave {other}, which is neither of 0, 1 and 2");
            Err(Failure::new(FailureKind::State, "plugin-refused", text))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use lexpool_plugin::{Class, Object, Registrar, Value, class, op, plugin};

    use super::*;

    struct Meter(AtomicI64);

    impl Class for Meter {
        const KEY: &'static str = "inside.Meter";
    }

    fn register(ops: &mut impl Registrar) {
        op!(*ops, "inside.repeat"(text, *, times = 2) = |text: &str, times: usize| {
            text.repeat(times)
        }, "Over and over.", gil = by_size(100));
        class!(*ops, Meter, "Adds.", {
            new(start = 0) = |start: i64| Object::new(Meter(start.into())), "From a number.";
            fixed name = |_: &Meter| "meter".to_owned(), "Always the same.";
            field value = |meter: &Meter| meter.0.load(Ordering::Relaxed),
                set |meter: &Meter, value: i64| meter.0.store(value, Ordering::Relaxed),
                "The number.";
            fn add(k = 1) = |meter: &Meter, k: i64| meter.0.fetch_add(k, Ordering::Relaxed) + k,
                "Adds.";
        });
    }

    plugin!(name = "inside", version = "1.0", register);

    /// The tables of a plugin that is linked into this test.
    fn loaded() -> (Registry, PluginC) {
        let registry = Registry::new();
        // SAFETY: the entry is a plugin's, and its tables stay.
        let plugin = unsafe { ask(lexpool_plugin_v1) }.unwrap();
        // SAFETY: the tables of the test are static.
        let batch = unsafe { plugin_tables::batch(&plugin, "inside.so") }.unwrap();
        assert_eq!(batch.names(), ["inside.repeat", "inside.Meter"]);
        registry.install(batch, false).unwrap().keep();
        (registry, plugin)
    }

    #[test]
    fn a_plugin_that_is_linked_in_is_installed_once_and_by_its_entry_alone() {
        unsafe extern "C" fn empty(_: *const HostC, _: *mut PluginC) -> std::ffi::c_int {
            0
        }
        let registry = Registry::new();
        // SAFETY: the entry is a plugin's.
        let installed = unsafe { registry.install_linked(lexpool_plugin_v1, "inside") };
        assert_eq!(installed.unwrap(), ["inside.repeat", "inside.Meter"]);
        let repeat = registry.find("inside.repeat").unwrap();
        let text = Value::str("ab").unwrap();
        assert_eq!(repeat.call(&[text]).unwrap().get().as_str(), Some("abab"));
        // SAFETY: as before.
        let again = unsafe { registry.install_linked(lexpool_plugin_v1, "inside") }.unwrap_err();
        assert_eq!(again.code(), "plugin-refused");
        // SAFETY: the entry writes nothing.
        let none = unsafe { registry.install_linked(empty, "nowhere") }.unwrap_err();
        assert_eq!(none.code(), "plugin-version");
        assert!(none.message().starts_with("nowhere: "), "{none}");
        assert_eq!(registry.ops().count(), 1);
    }

    #[test]
    fn what_rust_declares_is_the_same_on_the_other_side() {
        let (registry, _) = loaded();
        let repeat = registry.find("inside.repeat").unwrap();
        assert_eq!(repeat.signature(), "repeat(text: str, *, times: int = 2) -> str");
        assert_eq!(
            (repeat.doc(), repeat.gil()),
            ("Over and over.", super::super::Gil::BySize(100))
        );
        assert!(repeat.place().contains("plugins.rs:") && repeat.place().ends_with("in inside.so"));
        let text = repeat.call(&[Value::str("ab").unwrap()]).unwrap();
        assert_eq!(text.get().as_str(), Some("abab"));
        let failure = repeat.call(&[Value::int(1)]).unwrap_err();
        assert_eq!(failure.code(), "op-argument");
    }

    #[test]
    fn objects_of_a_plugin_have_their_constructor_fields_and_methods() {
        let (registry, _) = loaded();
        let class = registry.class("inside.Meter").unwrap();
        let meter = class.constructor().unwrap().call(&[Value::int(3)]).unwrap();
        assert_eq!(class.methods()[0].signature(), "add(self: inside.Meter, k: int = 1) -> int");
        assert_eq!(class.methods()[0].call(&[meter.get()]).unwrap().get().as_int(), Some(4));
        let [name, value] = class.fields() else { panic!("two fields") };
        assert!(name.is_fixed() && name.set().is_none() && !value.is_fixed());
        value.set().unwrap().call(&[meter.get(), Value::int(9)]).unwrap();
        assert_eq!(value.get().call(&[meter.get()]).unwrap().get().as_int(), Some(9));
        let add = registry.get_or_method("inside.Meter.add").unwrap();
        assert_eq!(add.call(&[meter.get(), Value::int(2)]).unwrap().get().as_int(), Some(11));
        assert!(registry.get_or_method("inside.Meter.sub").is_none());
    }

    #[test]
    fn calls_of_a_plugin_that_judges_nothing_are_judged_here() {
        let (_, plugin) = loaded();
        let unchecked = PluginC { flags: 0, ..plugin };
        // SAFETY: as in `loaded`.
        let batch = unsafe { plugin_tables::batch(&unchecked, "inside.so") }.unwrap();
        let registry = Registry::new();
        registry.install(batch, false).unwrap().keep();
        let repeat = registry.find("inside.repeat").unwrap();
        let text = Value::str("ab").unwrap();
        assert_eq!(repeat.call(&[text]).unwrap().get().as_str(), Some("abab"));
        let failure = repeat.call(&[Value::int(1)]).unwrap_err();
        assert_eq!(
            failure.message(),
            "inside.repeat(): argument 'text' (position 1): expected str, got int"
        );
        assert_eq!(repeat.call(&[text, text, text]).unwrap_err().code(), "op-arity");
    }

    #[test]
    fn a_file_that_is_no_library_installs_nothing() {
        let registry = Registry::new();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.so");
        std::fs::write(&file, "no library").unwrap();
        for path in [file.as_path(), folder.path(), &folder.path().join("nowhere.so")] {
            // SAFETY: the file is not a library, so none of its code runs.
            let failure = unsafe { registry.load(path) }.unwrap_err();
            assert_eq!(failure.code(), "plugin-open");
            assert!(failure.message().starts_with(&path.display().to_string()), "{failure}");
        }
        assert_eq!((registry.ops().count(), registry.plugins().len()), (0, 0));
    }
}
