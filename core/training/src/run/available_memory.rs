//! The memory that a process may use: what the system and its control groups leave.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes that the process has in memory; `None` where the system does not tell.
pub(crate) fn resident() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// Returns the bytes that the process may have in memory: what it has, and what is free, but no
/// more than a limit of its control groups. `None` where the system does not tell.
pub(crate) fn available() -> Option<u64> {
    let free = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let files = limit_files(&groups, Path::new("/sys/fs/cgroup"));
    let limits = files.iter().filter_map(|file| limit(&fs::read_to_string(file).ok()?));
    limits.chain([free.saturating_add(resident()?)]).min()
}

/// Returns the value of a line such as "Shmem:   1234 kB" in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the number in the file of a limit; `None` for "max", which stands for no limit.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Returns the files with the limits of the control groups that `/proc/self/cgroup` names, and of
/// those above them, in the second version and in the first one.
fn limit_files(groups: &str, root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container the path may be one of the machine, of which only the root is seen.
        let own = Path::new(path.trim_start_matches('/'));
        files.extend(own.ancestors().map(|group| root.join(group).join(name)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read_as_bytes() {
        let text = "MemTotal:  24 kB\nMemAvailable:    7 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(7 * 1024));
        assert_eq!(field(text, "VmRSS:"), None);
        assert_eq!(field("VmRSS: many kB", "VmRSS:"), None);
        assert_eq!((limit("4096\n"), limit("max\n")), (Some(4096), None));
    }

    #[test]
    fn limits_of_all_groups_above_count() {
        let files = limit_files("5:cpu:/a\n4:cpu,memory:/a/b\n0::/c\n", Path::new("/root"));
        let expected = [
            "/root/memory/a/b/memory.limit_in_bytes",
            "/root/memory/a/memory.limit_in_bytes",
            "/root/memory/memory.limit_in_bytes",
            "/root/c/memory.max",
            "/root/memory.max",
        ];
        assert_eq!(files, expected.map(PathBuf::from));
        assert_eq!(limit_files("damaged\n:\n", Path::new("/root")), Vec::<PathBuf>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_has_less_memory_than_it_may_have() {
        let (has, may) = (resident().unwrap(), available().unwrap());
        assert!((1 << 20..may).contains(&has), "{has} of {may}");
    }
}
