// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "systemcallfilter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace Sandboxio::Guest {

namespace {

/// The numbers of one system call interface; the second of a machine is that of its 32-bit programs.
struct Interface
{
    std::uint32_t architecture;
    std::uint32_t numberMask; ///< x32 is x86-64 with one more bit, and for these calls the same numbers
    std::uint32_t setpriority;
    std::uint32_t ioprioSet;
    std::array<std::uint32_t, 5>
        byProcess; ///< sched_setparam, _setscheduler, _setaffinity, _setattr, prlimit64
};

constexpr std::array amd64{
    Interface{AUDIT_ARCH_X86_64, ~0x40000000u, 141, 251, {142, 144, 203, 314, 302}},
    Interface{AUDIT_ARCH_I386, ~0u, 97, 289, {154, 156, 241, 351, 340}},
};
constexpr std::array arm64{
    Interface{AUDIT_ARCH_AARCH64, ~0u, 140, 30, {118, 119, 122, 274, 261}},
    Interface{AUDIT_ARCH_ARM, ~0u, 97, 314, {154, 156, 241, 380, 369}},
};

constexpr sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
constexpr sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

/// Ids and selectors are 32 bits wide: the kernel drops the upper half of a register, and so does this.
constexpr sock_filter loadArgument(unsigned index)
{
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t)));
}

/// Skips \a count instructions unless the loaded word is \a value.
constexpr sock_filter skipUnless(std::uint32_t value, std::size_t count)
{
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, static_cast<std::uint8_t>(count));
}

using Program = std::vector<sock_filter>;

void append(Program &program, const Program &part)
{
    program.insert(program.end(), part.begin(), part.end());
}

Program whenArgument(unsigned index, std::uint32_t value, sock_filter then)
{
    return {loadArgument(index), skipUnless(value, 1), then};
}

/// setpriority() and ioprio_set() choose by (kind, id).
Program refuseKinds(std::uint32_t byProcess, std::uint32_t byGroup, std::uint32_t byUser, pid_t init,
                    pid_t group)
{
    // A user id names this process as well, unless it is that of nobody whom the caller may touch.
    Program program = whenArgument(0, byUser, refuse);
    for (const auto &[kind, id] : {std::pair(byProcess, init), std::pair(byGroup, group)}) {
        if (id == 0) // would mean the caller's own
            continue;
        const Program check = whenArgument(1, std::uint32_t(id), refuse);
        append(program, {loadArgument(0), skipUnless(kind, check.size())});
        append(program, check);
    }
    program.push_back(allow);
    return program;
}

Program checks(const Interface &interface, pid_t init, pid_t group)
{
    Program program;
    const auto on = [&program](std::uint32_t number, const Program &check) {
        program.push_back(skipUnless(number, check.size()));
        append(program, check);
    };
    on(interface.setpriority, refuseKinds(PRIO_PROCESS, PRIO_PGRP, PRIO_USER, init, group));
    on(interface.ioprioSet, refuseKinds(IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER, init, group));
    Program byProcess = whenArgument(0, std::uint32_t(init), refuse);
    byProcess.push_back(allow);
    for (const std::uint32_t number : interface.byProcess)
        on(number, byProcess);
    program.push_back(allow);
    return program;
}

} // namespace

Program initProtection(Machine machine, pid_t init, pid_t group)
{
    Program program;
    for (const Interface &interface : machine == Machine::Amd64 ? amd64 : arm64) {
        Program part{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                     BPF_STMT(BPF_ALU | BPF_AND | BPF_K, interface.numberMask)};
        append(part, checks(interface, init, group));
        append(program, {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
                         skipUnless(interface.architecture, part.size())});
        append(program, part);
    }
    program.push_back(refuse); // a way to call that this kernel does not have
    return program;
}

bool protectInit()
{
#if defined(__x86_64__)
    constexpr Machine machine = Machine::Amd64;
#elif defined(__aarch64__)
    constexpr Machine machine = Machine::Arm64;
#else
#error "no system call numbers for this architecture"
#endif
    Program program = initProtection(machine, ::getpid(), ::getpgrp());
    const sock_fprog description{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &description) == 0;
}

} // namespace Sandboxio::Guest
