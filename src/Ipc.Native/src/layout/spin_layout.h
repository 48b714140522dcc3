/* The word in which an end says how long it spins, for people who look at it: docs/wire-format/performance.md. */
#ifndef IPC_SPIN_LAYOUT_H
#define IPC_SPIN_LAYOUT_H

#include "atomic.h"

/*
 *  63         56 55         48 47                32 31                                0
 * +-------------+-------------+--------------------+-----------------------------------+
 * | reserved 0  |  mode (8)   |   interval (16)    |  budget in ns                     |   0 = it does not say
 * +-------------+-------------+--------------------+-----------------------------------+
 */
enum { IPC_SPIN_ADAPTS = 1, IPC_SPIN_ALWAYS = 2, IPC_SPIN_NEVER = 3 };

static inline uint64_t ipc_spin_word(uint32_t mode, uint32_t interval, uint32_t budget_ns)
{
    return (uint64_t)mode << 48 | (uint64_t)(interval & 0xFFFF) << 32 | budget_ns;
}

#endif
