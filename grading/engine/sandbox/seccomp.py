"""A seccomp filter against system calls that no course notebook needs and that attacks on a kernel
use first.

It answers EPERM (clone3: ENOSYS, so that the C library falls back to clone, whose flags a filter
can read). Sources: seccomp(2), linux/filter.h, linux/audit.h; the list follows the default profile
of Docker.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from grading.engine.sandbox import kernelcalls

#                    x86_64, aarch64
_REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # memory that belongs to no process and counts against no file system
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),  # a pipe then keeps pages that were unmapped, up to 2 MiB for each place
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "personality": (135, 92),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
}
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, AUDIT_ARCH_
_CLONE, _CLONE3, _SOCKET, _X32 = (56, 220), 435, (41, 198), 0x40000000
# Done without being done: it answers 0. The scheduler gives each session as much time as any other
# (sched(7), autogroup), so a process that could begin sessions could take its neighbors' time.
_SETSID = (112, 157)
_MMAP, _SETSOCKOPT = (9, 222), (54, 208)
_MAP_SHARED_ANONYMOUS = 0x01 | 0x20  # shared memory of no file, which outlives who touched it
_SOL_SOCKET = 1
_BUFFER_SIZES = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and the same with ...FORCE
# unix and netlink, with which the C library asks for network interfaces; vsock would reach a
# virtual machine's host. The sandbox's own network is IPv4 with TCP and UDP.
_FAMILIES, _IPV4, _PROTOCOLS = (1, 16), 2, (0, 6, 17)
_PR_SET_SECCOMP = 22
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
# offsets in struct seccomp_data; the low half of each argument (little endian)
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, (16, 24, 32, 40)
_NAMESPACES = kernelcalls.ALL_BUT_USER | kernelcalls.NEWUSER

_Line = tuple[int, int, int, int]


def program(*, ipv4: bool) -> bytes:
    """The filter: an array of struct sock_filter {u16 code; u8 jump_if_true, jump_if_false; u32
    value}.

    Args:
        ipv4: whether TCP and UDP are let through, because something bounds what their buffers hold.
    """
    column, arch = _MACHINES[platform.machine()]
    eperm, enosys = _REFUSE | errno.EPERM, _REFUSE | errno.ENOSYS
    lines: list[_Line] = []

    def when(code: int, value: int, answer: int, otherwise: bool = False) -> None:
        """If the comparison is true (with `otherwise`: false), return `answer`."""
        lines.extend(
            [(code, 1 if otherwise else 0, 0 if otherwise else 1, value), (_RETURN, 0, 0, answer)]
        )

    lines.append((_LOAD, 0, 0, _ARCH))
    when(_EQUAL, arch, eperm, otherwise=True)  # 32-bit system calls have other numbers
    lines.append((_LOAD, 0, 0, _NUMBER))
    when(_AT_LEAST, _X32, eperm)
    when(_EQUAL, _CLONE3, enosys)
    for numbers in _REFUSED.values():
        when(_EQUAL, numbers[column], eperm)
    when(_EQUAL, _SETSID[column], _REFUSE)
    lines += [*_by_argument(column, ipv4), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _by_argument(column: int, ipv4: bool) -> list[_Line]:
    """What refuses calls for some of their arguments."""
    lines: list[_Line] = []

    def of(call: int, *body: _Line) -> None:
        """If the call is this one, run `body`; else go on behind it."""
        lines.extend([(_EQUAL, 0, len(body), call), *body])

    refuse, allow = (_RETURN, 0, 0, _REFUSE | errno.EPERM), (_RETURN, 0, 0, _ALLOW)
    load = [(_LOAD, 0, 0, offset) for offset in _ARGUMENTS]
    of(_CLONE[column], load[0], (_ANY_BIT, 0, 1, _NAMESPACES), refuse, allow)
    shared = _MAP_SHARED_ANONYMOUS
    of(_MMAP[column], load[3], (_AND, 0, 0, shared), (_EQUAL, 0, 1, shared), refuse, allow)
    sizes = len(_BUFFER_SIZES)
    of(
        _SETSOCKOPT[column],
        load[1],
        (_EQUAL, 0, sizes + 1, _SOL_SOCKET),
        load[2],
        *((_EQUAL, sizes - place, 0, option) for place, option in enumerate(_BUFFER_SIZES)),
        allow,
        refuse,
    )
    protocols = _PROTOCOLS if ipv4 else ()
    most, families = len(protocols), enumerate(_FAMILIES)
    of(
        _SOCKET[column],
        load[0],
        *((_EQUAL, len(_FAMILIES) - place + most + 2, 0, one) for place, one in families),
        (_EQUAL, 0, most + 1, _IPV4),
        load[2],
        *((_EQUAL, most - place, 0, one) for place, one in enumerate(protocols)),
        (_RETURN, 0, 0, _REFUSE | errno.EAFNOSUPPORT),
        allow,
    )
    return lines


def install(*, ipv4: bool) -> None:
    """Filter this thread and all that it starts. Requires no_new_privs."""
    code = program(ipv4=ipv4)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):  # struct sock_fprog
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    described = Program(len(code) // 8, ctypes.addressof(buffer))
    if kernelcalls.prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(described)) < 0:
        raise OSError(ctypes.get_errno(), "prctl SECCOMP")
