"""File systems of a few megabytes, for tests of a disk that is full or may not be written to, and
of a user's quota.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PAGE = 4096


class SmallDisk:
    """A mounted file system, or a part of one that has a quota."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def full(self, left: int = 0) -> Iterator[None]:
        """Inside, no block is free, or so many."""
        filler = self.folder / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(PAGE)):
                    pass
            except OSError:
                if left:
                    os.truncate(filler, max(filler.stat().st_size - left * PAGE, 0))
        try:
            yield
        finally:
            filler.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Inside, nothing can be written to it."""
        self._mount("-o", "remount,ro")
        try:
            yield
        finally:
            self._mount("-o", "remount,rw")

    def _mount(self, *options: str) -> None:
        subprocess.run(["mount", *options, str(self.folder)], check=True, capture_output=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mounts one on a folder; skips the test if only root may do that."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no command `mount`")
    if done.returncode != 0:
        pytest.skip(f"only root may mount a small disk: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)


@contextmanager
def quota_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mounts one on a folder whose subvolume `own`, of Btrfs, has a quota of four megabytes while
    the disk itself has space; skips the test where that needs another user or another system.
    """
    if shutil.which("mkfs.btrfs") is None:
        pytest.skip("there is no command `mkfs.btrfs`; in Debian it is in btrfs-progs")
    image, own = folder.with_suffix(".image"), folder / "own"
    image.touch()
    os.truncate(image, 128 << 20)
    mounted = False
    try:
        for command in (
            ["mkfs.btrfs", "--quiet", str(image)],
            ["mount", "-o", "loop", str(image), str(folder)],
            ["btrfs", "quota", "enable", str(folder)],
            ["btrfs", "subvolume", "create", str(own)],
            ["btrfs", "qgroup", "limit", "4M", str(own)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                pytest.skip(f"{command[0]} is refused here: {done.stderr.strip()}")
            mounted |= command[0] == "mount"
        yield SmallDisk(own)
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
        image.unlink()
