//! Entries of a replaced folder that the new folder lacks, and modes: both stay.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::temporary::is_temporary_name;

/// Gives a new folder the entries of an old one that it lacks, and its files the modes of those
/// that they replace. Files get a second name (hard link), so none is copied and none is gone from
/// the old folder. Temporary files of lexpool are left out.
///
/// # Errors
///
/// `CrossesDevices` for a place where another file system is mounted, whose entries cannot be
/// linked and must not be removed with the old folder; `IsADirectory` and `NotADirectory` for a
/// folder in the place of a new file, and the reverse; those of the system.
pub(super) fn carry_over(old: &Path, new: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        if is_temporary_name(&entry.file_name()) {
            continue;
        }
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        let carried = match fs::symlink_metadata(&to) {
            Err(error) if error.kind() == ErrorKind::NotFound => link(&from, &to),
            Err(error) => Err(error),
            Ok(replacing) => merge(&from, &to, &replacing),
        };
        match carried {
            // Somebody has removed it since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound && is_absent(&from) => {}
            carried => carried?,
        }
    }
    Ok(())
}

/// Carries over an entry whose name the new folder has too.
fn merge(from: &Path, to: &Path, replacing: &Metadata) -> io::Result<()> {
    let status = fs::symlink_metadata(from)?;
    check_kinds(&status, replacing)?;
    if status.is_dir() {
        refuse_mount_point(from)?;
        carry_over(from, to)?;
    }
    if status.is_symlink() { Ok(()) } else { keep_permissions(&status, to) }
}

fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Checks that a new entry may replace an old one.
///
/// # Errors
///
/// `IsADirectory` for a folder that a file would replace, `NotADirectory` for a file that a folder
/// would replace.
pub(super) fn check_kinds(old: &Metadata, new: &Metadata) -> io::Result<()> {
    match (old.is_dir(), new.is_dir()) {
        (true, false) => Err(ErrorKind::IsADirectory.into()),
        (false, true) if !old.is_symlink() => Err(ErrorKind::NotADirectory.into()),
        _ => Ok(()),
    }
}

/// Gives an entry and all that is in it second names.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    let status = fs::symlink_metadata(from)?;
    if status.is_symlink() {
        return copy_link(from, to);
    }
    if !status.is_dir() {
        return fs::hard_link(from, to);
    }
    refuse_mount_point(from)?;
    fs::create_dir(to)?;
    carry_over(from, to)?;
    keep_owner(&status, to)?;
    keep_permissions(&status, to)
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn copy_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Gives a file or folder the mode of the one that it replaces.
pub(super) fn keep_permissions(old: &Metadata, new: &Path) -> io::Result<()> {
    // Some file systems have one set of permissions for all files and refuse to set any.
    if fs::metadata(new)?.permissions() == old.permissions() {
        return Ok(());
    }
    fs::set_permissions(new, old.permissions())
}

/// Gives a folder the owner and the group of the one that it replaces.
///
/// # Errors
///
/// `PermissionDenied` for an owner or a group that this user may not give.
#[cfg(unix)]
pub(super) fn keep_owner(old: &Metadata, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let status = fs::metadata(new)?;
    if (status.uid(), status.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    std::os::unix::fs::chown(new, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(super) fn keep_owner(_: &Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

fn refuse_mount_point(folder: &Path) -> io::Result<()> {
    if is_mount_point(folder) { Err(ErrorKind::CrossesDevices.into()) } else { Ok(()) }
}

/// Returns whether another file system, or another folder of the same, is mounted at a folder.
#[cfg(target_os = "linux")]
pub(super) fn is_mount_point(folder: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    // Older kernels do not tell the mount of a folder of the same file system.
    is_other_device(folder)
        || statx(CWD, folder, AtFlags::empty(), StatxFlags::empty())
            .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_mount_point(folder: &Path) -> bool {
    is_other_device(folder)
}

fn is_other_device(folder: &Path) -> bool {
    !super::target::is_same_device(folder, super::temporary::folder_of(folder))
}

/// Returns whether a folder has a list of who may access it, beyond its mode (POSIX ACL), which a
/// new folder would lack.
#[cfg(target_os = "linux")]
pub(super) fn has_access_list(folder: &Path) -> bool {
    let mut names = [0; 4096];
    match rustix::fs::listxattr(folder, &mut names[..]) {
        Ok(length) => names[..length].windows(16).any(|part| part == b"system.posix_acl"),
        Err(error) => error == rustix::io::Errno::RANGE,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_access_list(_: &Path) -> bool {
    false
}
