"""Flat images: linked from objects, mapped, called, refused, unmapped."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from featherflow.compiler import executable_memory
from featherflow.compiler.codegen import assembly, compile_object
from featherflow.compiler.elf import ElfObject
from featherflow.compiler.image import ImageError, LinkError, MappedImage, link
from featherflow.compiler.relocations import relocate_aarch64, relocate_x86_64
from featherflow.compiler.target import host_target, target_named

ALL_TARGETS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
KernelFunction = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)

CASES = [3, 1, 4, 1, 5, 9, 2, 6]
#: A table of constants, a jump table, an internal call and a pointer to an internal function.
EVERYTHING = """
@table = private constant [8 x i64] [VALUES], align 64

define internal i64 @twice(i64 %x) noinline {
  %y = mul i64 %x, 2
  ret i64 %y
}

define internal i64 @thrice(i64 %x) noinline {
  %y = mul i64 %x, 3
  ret i64 %y
}

define i64 @kernel(i64 %i) nounwind {
  %masked = and i64 %i, 7
  %place = getelementptr i64, ptr @table, i64 %masked
  %value = load i64, ptr %place
  %large = icmp sgt i64 %value, 3
  %function = select i1 %large, ptr @thrice, ptr @twice
  %scaled = call i64 %function(i64 %value)
  %half = call double @half(double 5.0)
  switch i64 %i, label %other [
    i64 0, label %case0
    i64 1, label %case1
    i64 2, label %case2
    i64 3, label %case3
    i64 4, label %case4
    i64 5, label %case5
  ]
case0:
  ret i64 %scaled
case1:
  %r1 = add i64 %scaled, 7
  ret i64 %r1
case2:
  %r2 = mul i64 %scaled, 11
  ret i64 %r2
case3:
  %r3 = xor i64 %scaled, 5
  ret i64 %r3
case4:
  %r4 = sub i64 %scaled, 90
  ret i64 %r4
case5:
  %r5 = fptosi double %half to i64
  ret i64 %r5
other:
  ret i64 -1
}

define internal double @half(double %x) noinline {
  %y = fmul double %x, 2.125
  ret double %y
}
""".replace("VALUES", ", ".join(f"i64 {case}" for case in CASES))


def expected(i: int) -> int:
    value = CASES[i % 8]
    scaled = value * (3 if value > 3 else 2)
    results = [scaled, scaled + 7, scaled * 11, scaled ^ 5, scaled - 90, 10]
    return results[i] if i < len(results) else -1


def image_of(ir: str, target: str | None = None) -> bytes:
    return link(compile_object(ir, target_named(target) if target else host_target()))


def constant_image(value: int) -> bytes:
    return image_of(f"define i64 @kernel(i64 %a) {{ ret i64 {value} }}")


def call(image: MappedImage, argument: int = 0) -> int:
    return KernelFunction(image.address("kernel"))(argument)


def write(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def mapping_count() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def test_the_sample_has_what_it_is_for() -> None:
    text = assembly(EVERYTHING, host_target())
    assert "JTI" in text, "no jump table"
    assert "table" in text
    kinds = {r.kind for r in ElfObject(compile_object(EVERYTHING, host_target())).relocations}
    assert kinds, "nothing to relocate"


def test_constants_jump_tables_and_calls_run(tmp_path: Path) -> None:
    image = MappedImage(write(tmp_path / "image", image_of(EVERYTHING)))
    assert [call(image, i) for i in range(8)] == [expected(i) for i in range(8)]


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_every_target_links_the_same_bytes_twice(name: str) -> None:
    assert image_of(EVERYTHING, name) == image_of(EVERYTHING, name)


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v2", "x86-64-v3"])
def test_lower_levels_run(level: str) -> None:
    if executable_memory.host_machine() != 62 or level > host_target().name:
        pytest.skip("this machine lacks the level")
    image = MappedImage.from_bytes(image_of(EVERYTHING, level))
    assert [call(image, i) for i in range(8)] == [expected(i) for i in range(8)]


def test_vector_constants_are_aligned() -> None:
    """Aligned loads of a constant pool fault unless image and mapping keep the alignment."""
    values = ", ".join(f"float {i}.5" for i in range(16))
    ir = f"""
    define i64 @kernel(i64 %a) {{
      %x = sitofp i64 %a to float
      %one = insertelement <16 x float> poison, float %x, i32 0
      %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
      %product = fmul <16 x float> %all, <{values}>
      %sum = call float @llvm.vector.reduce.fadd.v16f32(float 0.0, <16 x float> %product)
      %r = fptosi float %sum to i64
      ret i64 %r
    }}
    declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
    """
    assert call(MappedImage.from_bytes(image_of(ir)), 3) == 384


def test_loads_of_addresses_from_a_table_become_addresses() -> None:
    """A symbol that others could replace is reached through a table; images have none."""
    ir = """
    define i64 @other(i64 %a) { ret i64 7 }
    define i64 @kernel(i64 %a) {
      %slot = alloca ptr
      store volatile ptr @other, ptr %slot
      %function = load volatile ptr, ptr %slot
      %r = call i64 %function(i64 %a)
      ret i64 %r
    }
    """
    relocations = ElfObject(compile_object(ir, target_named("x86-64"))).relocations
    assert {r.kind for r in relocations} & {9, 41, 42}
    image = image_of(ir, "x86-64")
    if executable_memory.host_machine() == 62:
        assert call(MappedImage.from_bytes(image)) == 7


def test_several_entries() -> None:
    ir = "define i64 @kernel(i64 %a) { ret i64 1 }\ndefine i64 @other(i64 %a) { ret i64 2 }"
    image = MappedImage.from_bytes(image_of(ir))
    assert image.entries == ("kernel", "other")
    assert KernelFunction(image.address("other"))(0) == 2
    with pytest.raises(KeyError):
        image.address("third")


def test_internal_functions_are_no_entries() -> None:
    assert MappedImage.from_bytes(image_of(EVERYTHING)).entries == ("kernel",)


@pytest.mark.parametrize("target", ["x86-64-v3", "aarch64"])
@pytest.mark.parametrize(
    ("ir", "reason"),
    [
        (
            "declare i64 @labs(i64)\n"
            "define i64 @kernel(i64 %a) { %r = call i64 @labs(i64 %a) ret i64 %r }",
            "external symbol labs",
        ),
        (
            "@outside = external global i64\n"
            "define i64 @kernel(i64 %a) { %r = load i64, ptr @outside ret i64 %r }",
            "external symbol outside|reference of kind",
        ),
        (
            "@count = internal global i64 5\n"
            "define i64 @kernel(i64 %a) { store volatile i64 %a, ptr @count ret i64 0 }",
            r"section \.data is writable",
        ),
        (
            "@count = internal global i64 0\n"
            "define i64 @kernel(i64 %a) { store volatile i64 %a, ptr @count ret i64 0 }",
            r"section \.bss is writable",
        ),
        (
            "@own = internal thread_local global i64 5\n"
            "define i64 @kernel(i64 %a) { store volatile i64 %a, ptr @own ret i64 0 }",
            "thread-local",
        ),
        (
            "@self = constant ptr @kernel\n"
            "define i64 @kernel(i64 %a) { %p = load volatile ptr, ptr @self\n"
            " %r = ptrtoint ptr %p to i64 ret i64 %r }",
            "holds absolute addresses",
        ),
        (
            "define fp128 @kernel(fp128 %a) { %r = fmul fp128 %a, %a ret fp128 %r }",
            "external symbol __multf3",
        ),
    ],
    ids=["call", "data", "initialised", "zeroed", "thread", "pointer", "runtime-library"],
)
def test_what_is_not_self_contained_is_refused(target: str, ir: str, reason: str) -> None:
    with pytest.raises(LinkError, match=reason):
        image_of(ir, target)


def test_absolute_references_are_refused() -> None:
    for kind in (1, 10, 11):
        with pytest.raises(LinkError, match="absolute address"):
            relocate_x86_64(bytearray(16), kind, 4, 8, 0)
    with pytest.raises(LinkError, match="absolute address"):
        relocate_aarch64(bytearray(16), 257, 4, 8, 0)
    with pytest.raises(LinkError, match="kind 311"):
        relocate_aarch64(bytearray(16), 311, 4, 8, 0)


def test_distances_that_do_not_fit_are_refused() -> None:
    with pytest.raises(LinkError, match="too large"):
        relocate_x86_64(bytearray(16), 2, 4, 1 << 31 | 1 << 10, 0)
    with pytest.raises(LinkError, match="too large"):
        relocate_aarch64(bytearray(16), 283, 4, 1 << 28, 0)


def arm_word(kind: int, place: int, symbol: int, addend: int = 0) -> int:
    out = bytearray(place + 8)
    relocate_aarch64(out, kind, place, symbol, addend)
    assert not any(out[:place]) and not any(out[place + 4 :])
    return struct.unpack_from("<I", out, place)[0]


def test_arm_references() -> None:
    assert arm_word(283, 0x100, 0x180) == 0x20
    assert arm_word(282, 0x100, 0x80) == (1 << 26) - 0x20
    assert arm_word(275, 0x100, 0x5010) == 1 << 29 | 1 << 5
    assert arm_word(274, 0x100, 0x107) == 3 << 29 | 1 << 5
    assert arm_word(277, 0x100, 0x5010, 3) == 0x13 << 10
    assert arm_word(286, 0x100, 0x5010) == 0x2 << 10
    assert arm_word(299, 0x100, 0x5010) == 0x1 << 10
    assert arm_word(261, 0x100, 0x80) == (1 << 32) - 0x80
    with pytest.raises(LinkError, match="not aligned"):
        arm_word(286, 0x100, 0x5014)


@pytest.mark.parametrize("cut", [0, 3, 20, 63, 64, 200, -300, -64, -1])
def test_truncated_objects_are_refused(cut: int) -> None:
    with pytest.raises(LinkError):
        link(compile_object(EVERYTHING, host_target())[:cut])


def test_other_files_are_no_objects() -> None:
    with pytest.raises(LinkError, match="not an ELF64"):
        link(b"#!/bin/sh\n" + bytes(100))
    executable = bytearray(compile_object(EVERYTHING, host_target()))
    executable[16] = 2
    with pytest.raises(LinkError, match="not a relocatable object"):
        link(bytes(executable))
    foreign = bytearray(compile_object(EVERYTHING, host_target()))
    foreign[18:20] = struct.pack("<H", 243)
    with pytest.raises(LinkError, match="machine 243"):
        link(bytes(foreign))


def flip(image: bytes, at: int) -> bytes:
    changed = bytearray(image)
    changed[at] ^= 0x10
    return bytes(changed)


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    image = constant_image(5)
    padding = (10, 11)  # of the header, which says nothing
    for at in range(len(image)):
        if at not in padding:
            with pytest.raises(ImageError):
                MappedImage.from_bytes(flip(image, at))


@pytest.mark.parametrize("length", [0, 1, 23, 24, 40, -1])
def test_truncated_images_are_refused(tmp_path: Path, length: int) -> None:
    with pytest.raises(ImageError):
        MappedImage(write(tmp_path / "image", constant_image(5)[:length]))
    with pytest.raises(ImageError):
        MappedImage.from_bytes(constant_image(5)[:length])


def test_longer_images_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="damaged"):
        MappedImage(write(tmp_path / "image", constant_image(5) + b"\0"))


def test_images_of_other_machines_are_refused(tmp_path: Path) -> None:
    other = "aarch64" if executable_memory.host_machine() == 62 else "x86-64"
    path = write(tmp_path / "image", image_of(EVERYTHING, other))
    with pytest.raises(ImageError, match="another machine"):
        MappedImage(path)


def test_entries_that_point_outside_are_refused() -> None:
    image = bytearray(constant_image(5))
    struct.pack_into("<I", image, 26, len(image))
    struct.pack_into("<I", image, 16, zlib.crc32(image[24:]))
    with pytest.raises(ImageError, match="damaged"):
        MappedImage.from_bytes(bytes(image))


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "image", constant_image(5))
    (tmp_path / "link").symlink_to(tmp_path / "image")
    with pytest.raises(OSError) as caught:
        MappedImage(tmp_path / "link")
    assert caught.value.errno == errno.ELOOP


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_files_that_others_can_write_are_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ImageError, match="other users can write"):
        MappedImage(write(tmp_path / "image", constant_image(5), mode))


def test_folders_and_pipes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="not a regular file"):
        MappedImage(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ImageError, match="not a regular file"):
        MappedImage(tmp_path / "pipe")


def test_refused_images_leave_no_mapping(tmp_path: Path) -> None:
    path = write(tmp_path / "image", flip(constant_image(5), -1))
    before = mapping_count()
    for _ in range(50):
        with pytest.raises(ImageError):
            MappedImage(path)
    assert abs(mapping_count() - before) <= 5


@pytest.mark.parametrize("release", [MappedImage.close, None], ids=["closed", "dropped"])
def test_unmapped_again_and_again(
    tmp_path: Path, release: Callable[[MappedImage], None] | None
) -> None:
    """Neither mappings nor descriptors pile up over 2,000 uses."""
    path = write(tmp_path / "image", image_of(EVERYTHING))
    gc.collect()
    mappings, descriptors = mapping_count(), len(os.listdir("/proc/self/fd"))
    for i in range(2000):
        image = MappedImage(path)
        assert call(image, i % 8) == expected(i % 8)
        if release:
            release(image)
    del image
    assert mapping_count() <= mappings + 5
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert str(path) not in Path("/proc/self/maps").read_text()


def test_mapped_images_cannot_be_written(tmp_path: Path) -> None:
    path = write(tmp_path / "image", constant_image(5))
    image = MappedImage(path)
    (line,) = [x for x in Path("/proc/self/maps").read_text().splitlines() if str(path) in x]
    assert line.split()[1] == "r-xp"
    assert image.size == path.stat().st_size


def test_a_removed_file_still_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "image", constant_image(5))
    image = MappedImage(path)
    os.replace(write(tmp_path / "new", constant_image(6)), path)
    assert (call(image), call(MappedImage(path))) == (5, 6)
    path.unlink()
    assert call(image) == 5


def test_closed_images_have_no_addresses() -> None:
    image = MappedImage.from_bytes(constant_image(5))
    image.close()
    image.close()
    with pytest.raises(ImageError, match="closed"):
        image.address("kernel")


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES])
def test_a_folder_that_refuses_execution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = write(tmp_path / "image", image_of(EVERYTHING))
    real_map, on_disk = executable_memory._map, path.stat().st_dev

    def refusing_map(descriptor: int, size: int) -> int:
        if os.fstat(descriptor).st_dev == on_disk:
            raise OSError(code, "refused")
        return real_map(descriptor, size)

    monkeypatch.setattr(executable_memory, "_map", refusing_map)
    image = MappedImage(path)
    assert call(image, 2) == expected(2)
    assert str(path) not in Path("/proc/self/maps").read_text()
    path.write_bytes(flip(path.read_bytes(), -1))
    with pytest.raises(ImageError, match="damaged"):
        MappedImage(path)


def test_other_errors_of_mapping_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, size: int) -> int:
        raise OSError(errno.ENOMEM, "no memory")

    monkeypatch.setattr(executable_memory, "_map", full)
    with pytest.raises(OSError, match="no memory"):
        MappedImage.from_bytes(constant_image(5))
