// The first thing that every header for C++ includes: what they are written in. Below it a compiler says so, once,
// instead of what it does not know.
#ifndef IPC_DIALECT_HPP
#define IPC_DIALECT_HPP

// Microsoft's compiler says 199711L for __cplusplus unless asked for the truth (/Zc:__cplusplus); _MSVC_LANG is that.
#if defined(_MSVC_LANG)
#define IPC_CPLUSPLUS _MSVC_LANG
#else
#define IPC_CPLUSPLUS __cplusplus
#endif

#if IPC_CPLUSPLUS < 201703L
#error "ipc: these headers need C++17 or newer (-std=c++17, /std:c++17; CMake: target_compile_features(... cxx_std_17))"
#include <ipc: C++17 needed> // there is no such file, and so nothing else is said
#endif

#endif
