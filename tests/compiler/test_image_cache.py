"""The cache of images: trust, damage, sharing, bounds."""

from __future__ import annotations

import ctypes
import gc
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from featherflow.compiler import image_cache
from featherflow.compiler.codegen import compile_object
from featherflow.compiler.image import ImageError, MappedImage, link
from featherflow.compiler.image_cache import ImageCache, compiler_digest, default_folder, digest
from featherflow.compiler.target import host_target, target_named

A, B, C, D = (letter * 64 for letter in "abcd")
IS_ROOT = os.geteuid() == 0


def image(value: int) -> bytes:
    ir = f"define i64 @kernel(i64 %a) {{ ret i64 {value} }}"
    return link(compile_object(ir, host_target()))


def call(mapped: MappedImage | None) -> int:
    assert mapped is not None
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(mapped.address("kernel"))(0)


@pytest.fixture
def cache(tmp_path: Path) -> ImageCache:
    return ImageCache(tmp_path / "cache")


def test_what_is_stored_is_found(cache: ImageCache) -> None:
    assert cache.find(A) is None
    assert cache.store(A, image(5)) == cache.path_of(A)
    assert call(cache.find(A)) == 5
    assert cache.find(B) is None
    assert call(ImageCache(cache.folder).find(A)) == 5


def test_folder_and_files_are_private(cache: ImageCache) -> None:
    path = cache.store(A, image(5))
    assert path is not None and cache.folder is not None
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert os.listdir(cache.folder) == [path.name]


def test_looking_makes_no_folder(cache: ImageCache) -> None:
    assert cache.find(A) is None
    assert cache.cache_info() == (None, 0, 0, image_cache.DEFAULT_LIMIT)
    assert cache.folder is not None and not cache.folder.exists()


def test_users_share_one_mapping_and_the_last_one_unmaps(cache: ImageCache) -> None:
    path = cache.store(A, image(5))
    first, second = cache.find(A), cache.find(A)
    assert first is second
    del first
    gc.collect()
    assert str(path) in Path("/proc/self/maps").read_text()
    assert call(second) == 5
    del second
    gc.collect()
    assert str(path) not in Path("/proc/self/maps").read_text()


def test_threads_share_one_mapping(cache: ImageCache) -> None:
    cache.store(A, image(5))
    found: list[MappedImage | None] = []
    gate = threading.Barrier(8)

    def look() -> None:
        gate.wait()
        found.append(cache.find(A))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len({id(one) for one in found}) == 1
    assert call(found[0]) == 5


def test_storing_again_leaves_mapped_images_alone(cache: ImageCache) -> None:
    cache.store(A, image(5))
    old = cache.find(A)
    cache.store(A, image(6))
    assert call(old) == 5
    assert call(ImageCache(cache.folder).find(A)) == 6


@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty", "link", "writable", "foreign"])
def test_bad_files_are_removed(cache: ImageCache, tmp_path: Path, damage: str) -> None:
    path = cache.store(A, image(5))
    assert path is not None
    path.chmod(0o600)
    good = path.read_bytes()
    if damage == "flipped":
        path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    elif damage == "truncated":
        path.write_bytes(good[:40])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "link":
        path.replace(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    elif damage == "writable":
        path.chmod(0o666)
    else:
        other = "aarch64" if host_target().name != "aarch64" else "x86-64"
        ir = "define i64 @kernel(i64 %a) { ret i64 5 }"
        path.write_bytes(link(compile_object(ir, target_named(other))))
    assert cache.find(A) is None
    assert not os.path.lexists(path)
    assert damage != "link" or (tmp_path / "elsewhere").read_bytes() == good
    cache.store(A, image(7))
    assert call(cache.find(A)) == 7


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_folders_that_others_can_write_are_not_used(cache: ImageCache, mode: int) -> None:
    path = cache.store(A, image(5))
    assert path is not None and cache.folder is not None
    cache.folder.chmod(mode)
    assert cache.find(A) is None
    assert cache.store(B, image(6)) is None
    assert cache.cache_info().folder is None
    assert os.listdir(cache.folder) == [path.name]


def test_linked_folders_are_not_used(cache: ImageCache, tmp_path: Path) -> None:
    cache.store(A, image(5))
    assert cache.folder is not None
    (tmp_path / "link").symlink_to(cache.folder)
    linked = ImageCache(tmp_path / "link")
    assert linked.find(A) is None
    assert linked.store(B, image(6)) is None
    assert cache.find(B) is None


def test_folders_of_other_users_are_not_used(
    cache: ImageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store(A, image(5))
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.find(A) is None
    assert cache.store(B, image(6)) is None


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "cache"):
        cache = ImageCache(folder)
        assert cache.store(A, image(5)) is None
        assert cache.find(A) is None
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_folder_that_cannot_be_written(
    cache: ImageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store(A, image(5))
    assert cache.folder is not None
    cache.folder.chmod(0o500)
    if IS_ROOT:  # whom modes do not stop

        def refuse(*args: object, **kwargs: object) -> tuple[int, str]:
            raise OSError(30, "Read-only file system")

        monkeypatch.setattr(image_cache.tempfile, "mkstemp", refuse)
    assert cache.store(B, image(6)) is None
    assert call(cache.find(A)) == 5
    cache.folder.chmod(0o700)


def test_a_full_disk_leaves_nothing(cache: ImageCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store(A, image(5))
    assert cache.folder is not None

    def full(descriptor: int, mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(image_cache.os, "fchmod", full)
    assert cache.store(B, image(6)) is None
    assert len(os.listdir(cache.folder)) == 1


def test_extra_folders_come_first_and_are_never_written(cache: ImageCache, tmp_path: Path) -> None:
    shipped = ImageCache(tmp_path / "shipped")
    shipped.store(A, image(1))
    damaged = shipped.store(B, image(2))
    assert damaged is not None and shipped.folder is not None
    damaged.chmod(0o600)
    damaged.write_bytes(b"damaged")
    damaged.chmod(0o444)
    cache.store(A, image(3))
    cache.store(B, image(4))
    cache.add_folder(shipped.folder)
    cache.add_folder(shipped.folder)
    before = {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(shipped.folder)}
    assert call(cache.find(A)) == 1
    assert call(cache.find(B)) == 4
    cache.store(C, image(5))
    after = {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(shipped.folder)}
    assert after == before


def test_extra_folders_must_be_trusted(cache: ImageCache, tmp_path: Path) -> None:
    shipped = ImageCache(tmp_path / "shipped")
    shipped.store(A, image(1))
    assert shipped.folder is not None
    shipped.folder.chmod(0o777)
    cache.add_folder(shipped.folder)
    cache.add_folder(tmp_path / "missing")
    assert cache.find(A) is None


def test_images_used_longest_ago_make_room(tmp_path: Path) -> None:
    size = len(image(1))
    cache = ImageCache(tmp_path / "cache", limit=3 * size)
    for age, name in enumerate((C, B, A), start=1):
        path = cache.store(name, image(age))
        assert path is not None
        os.utime(path, (1e9 - age, 1e9 - age))
    assert call(cache.find(A)) == 3  # now it is the latest, no longer the first
    cache.store(D, image(4))
    assert cache.cache_info() == (tmp_path / "cache", 3, 3 * size, 3 * size)
    assert not cache.path_of(B).exists()
    assert [call(cache.find(name)) for name in (A, C, D)] == [3, 1, 4]


def test_the_newest_stays_even_above_the_limit(tmp_path: Path) -> None:
    cache = ImageCache(tmp_path / "cache", limit=1)
    cache.store(A, image(1))
    cache.store(B, image(2))
    assert cache.find(A) is None
    assert call(cache.find(B)) == 2


def test_files_of_dead_writers_are_removed(cache: ImageCache) -> None:
    cache.store(A, image(1))
    assert cache.folder is not None
    old, new, alien = (cache.folder / name for name in ("x.unfinished", "y.unfinished", "notes"))
    for path in (old, new, alien):
        path.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    os.utime(alien, (1e9, 1e9))
    cache.store(B, image(2))
    assert not old.exists()
    assert new.exists() and alien.exists()


def test_adopted_images_are_shared(cache: ImageCache) -> None:
    first = cache.adopt(A, image(5))
    assert cache.adopt(A, image(6)) is first is cache.find(A)
    assert call(first) == 5
    with pytest.raises(ImageError):
        cache.adopt(B, image(5)[:-1])
    assert cache.find(B) is None


def test_default_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FEATHERFLOW_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_folder() == ImageCache().folder == tmp_path / "named"
    monkeypatch.setenv("FEATHERFLOW_CACHE_DIR", "")
    assert default_folder() == tmp_path / "xdg" / "featherflow"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == tmp_path / "home" / ".cache" / "featherflow"


def test_without_a_home_nothing_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("FEATHERFLOW_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(image_cache.Path, "home", homeless)
    cache = ImageCache()
    assert cache.folder is None
    assert cache.store(A, image(5)) is None
    assert cache.find(A) is None
    assert cache.cache_info().folder is None
    with pytest.raises(FileNotFoundError, match="no cache folder"):
        cache.path_of(A)


def test_digests() -> None:
    v2, v3 = target_named("x86-64-v2"), target_named("x86-64-v3")
    names = {digest("conv2d(channels=3)", v2), digest("conv2d(channels=4)", v2)}
    names |= {digest("conv2d(channels=3)", v3)}
    assert len(names) == 3
    assert digest("conv2d(channels=3)", v2) in names
    assert all(len(name) == 64 and int(name, 16) for name in names)


def test_digests_cover_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fresh() -> str:
        compiler_digest.cache_clear()
        return compiler_digest()

    (tmp_path / "inner").mkdir()
    monkeypatch.setattr(image_cache, "__file__", str(tmp_path / "image_cache.py"))
    try:
        (tmp_path / "a.py").write_text("1")
        first = fresh()
        assert fresh() == first
        (tmp_path / "a.py").write_text("2")
        second = fresh()
        (tmp_path / "inner" / "b.py").write_text("3")
        third = fresh()
        (tmp_path / "inner" / "b.py").rename(tmp_path / "inner" / "c.py")
        assert len({first, second, third, fresh()}) == 4
    finally:
        compiler_digest.cache_clear()


def test_a_child_forked_while_the_lock_is_held_can_look(tmp_path: Path) -> None:
    """In a process of its own: forking with threads is what Python warns of."""
    program = """
import os, sys, warnings
from pathlib import Path
from featherflow.compiler import image_cache
warnings.simplefilter("ignore")
cache = image_cache.ImageCache(Path(sys.argv[1]))
with image_cache._lock:
    child = os.fork()
    if not child:
        os._exit(0 if cache.find("a" * 64) is None else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr
