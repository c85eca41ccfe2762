"""Images on disk: named by a digest of what they do, shared within a process, bounded in bytes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import NamedTuple

from featherflow._version import VERSION
from featherflow.compiler.image import ImageError, MappedImage
from featherflow.compiler.target import Target

DEFAULT_LIMIT = 256 << 20

_SUFFIX = ".ffimage"
_UNFINISHED = ".unfinished"
#: After this many seconds the writer of an unfinished file is gone.
_ABANDONED = 3600.0
_PRIVATE_FOLDER = 0o700
#: Nobody writes an image in place: a process may be executing it.
_READ_ONLY_FILE = 0o444
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class CacheInfo(NamedTuple):
    """What a cache's folder holds; `folder` is None where there is no folder to be used."""

    folder: Path | None
    files: int
    bytes: int
    limit: int


def digest(spec_text: str, target: Target) -> str:
    """The name of a kernel's image: it changes with the spec, the target and the compiler."""
    parts = (spec_text, target.text, compiler_digest())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def compiler_digest() -> str:
    """A digest of the compiler's own sources, made once for each process."""
    total = hashlib.sha256(VERSION.encode())
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        total.update(str(path.relative_to(folder)).encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def default_folder() -> Path | None:
    """Where images are kept unless the program says otherwise; None without a home folder."""
    if named := os.environ.get("FEATHERFLOW_CACHE_DIR"):
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base, "featherflow")
    try:
        return Path.home() / ".cache" / "featherflow"
    except RuntimeError:
        return None


# One lock for all caches: what it guards takes microseconds, and a forked child needs a new one.
_lock = threading.Lock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class ImageCache:
    """A folder of images, other folders that are only read, and the images mapped right now."""

    def __init__(self, folder: Path | None = None, limit: int = DEFAULT_LIMIT) -> None:
        """Keep images in `folder`, by default in the user's cache.

        A folder that others own or may write, or that is a link, is not used.
        """
        self._folder = default_folder() if folder is None else Path(folder).absolute()
        self._limit = limit
        self._extra: list[Path] = []
        self._mapped: weakref.WeakValueDictionary[str, MappedImage] = weakref.WeakValueDictionary()

    @property
    def folder(self) -> Path | None:
        """Where images are stored."""
        return self._folder

    @property
    def limit(self) -> int:
        """How many bytes of images the folder may hold."""
        return self._limit

    def add_folder(self, path: str | os.PathLike[str]) -> None:
        """Look for images there first, without ever writing there."""
        folder = Path(path).absolute()
        if folder not in self._extra:
            self._extra = [*self._extra, folder]

    def path_of(self, digest: str) -> Path:
        """Where the image of this digest is stored."""
        if self._folder is None:
            raise FileNotFoundError("There is no cache folder: the user has no home folder")
        return self._folder / (digest + _SUFFIX)

    def find(self, digest: str) -> MappedImage | None:
        """The image of this digest, shared with its other users in this process, if any.

        It is unmapped when its last user drops it; nobody closes it.
        """
        with _lock:
            image = self._mapped.get(digest) or self._map(digest)
            if image is not None:
                self._mapped[digest] = image
        return image

    def adopt(self, digest: str, image_bytes: bytes) -> MappedImage:
        """The image, mapped from memory; for one that no folder holds."""
        with _lock:
            image = self._mapped.get(digest) or MappedImage.from_bytes(image_bytes)
            self._mapped[digest] = image
        return image

    def store(self, digest: str, image_bytes: bytes) -> Path | None:
        """Write an image to the folder, and make room for it; None if the folder is unusable."""
        if not self._is_usable(create=True):
            return None
        path = self.path_of(digest)
        try:
            _write(path, image_bytes)
        except OSError:
            return None
        self._make_room(path)
        return path

    def cache_info(self) -> CacheInfo:
        """What is in the folder now."""
        if self._folder is None or not self._is_usable(create=False):
            return CacheInfo(None, 0, 0, self._limit)
        sizes = [size for _, size, _ in _images(self._folder)]
        return CacheInfo(self._folder, len(sizes), sum(sizes), self._limit)

    def _map(self, digest: str) -> MappedImage | None:
        for folder in self._extra:
            if _is_trusted(folder, (os.geteuid(), 0)):
                with contextlib.suppress(OSError, ImageError):
                    return MappedImage(folder / (digest + _SUFFIX))
        if not self._is_usable(create=False):
            return None
        path = self.path_of(digest)
        try:
            image = MappedImage(path)
        except FileNotFoundError:
            return None
        except (OSError, ImageError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path, follow_symlinks=False)
        return image

    def _is_usable(self, create: bool) -> bool:
        if self._folder is None:
            return False
        if create:
            with contextlib.suppress(OSError):
                self._folder.parent.mkdir(parents=True, exist_ok=True)
                self._folder.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        return _is_trusted(self._folder, (os.geteuid(),))

    def _make_room(self, newest: Path) -> None:
        """Remove what was used longest ago, but not the newest, until the limit is kept."""
        files = sorted(_images(newest.parent))
        excess = sum(size for _, size, _ in files) - self._limit
        for _, size, path in files:
            if excess <= 0:
                break
            if path != newest:
                with contextlib.suppress(OSError):
                    path.unlink()
                excess -= size


def _is_trusted(folder: Path, owners: tuple[int, ...]) -> bool:
    """Whether only these users may change what is in the folder."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid in owners
        and not status.st_mode & _WRITABLE_BY_OTHERS
    )


def _write(path: Path, content: bytes) -> None:
    """Under another name first: whoever sees the file sees all of it."""
    descriptor, unfinished = tempfile.mkstemp(_UNFINISHED, dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(descriptor, _READ_ONLY_FILE)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def _images(folder: Path) -> list[tuple[float, int, Path]]:
    """(last use, bytes, path) of each image; files whose writers died are removed on the way."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(_SUFFIX):
                    found.append((status.st_mtime, status.st_size, Path(entry.path)))
                elif entry.name.endswith(_UNFINISHED) and _is_abandoned(status):
                    os.unlink(entry.path)
    return found


def _is_abandoned(status: os.stat_result) -> bool:
    return time.time() - status.st_mtime > _ABANDONED
