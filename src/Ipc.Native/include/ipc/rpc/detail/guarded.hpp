// The border between the library and the user's code.
#ifndef IPC_RPC_DETAIL_GUARDED_HPP
#define IPC_RPC_DETAIL_GUARDED_HPP

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#if defined(__GNUC__)
#include <cstdlib>
#include <cxxabi.h>
#endif

#include "../status.hpp"

namespace ipc::rpc::detail
{

#ifndef IPC_NO_EXCEPTIONS

// Empty when the program is compiled without type information.
inline std::string type_name([[maybe_unused]] const std::exception &thrown)
{
#if !defined(__cpp_rtti)
    return {};
#else
    const char *const name = typeid(thrown).name();
#if defined(__GNUC__)
    int failed = 0;
    const std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &failed), std::free);
    if (failed == 0 && plain != nullptr)
        return plain.get();
#endif
    return name;
#endif
}

#endif

// Runs the user's code and returns its outcome.
template <class Code> outcome outcome_of(Code &&code)
{
    using result = decltype(code());
    if constexpr (std::is_void_v<result>) {
        code();
        return {};
    } else {
        return outcome(code());
    }
}

// Runs the user's code; whatever it throws becomes the outcome of the call.
template <class Code> outcome guarded(Code &&code)
{
#ifdef IPC_NO_EXCEPTIONS
    return outcome_of(std::forward<Code>(code));
#else
    try {
        return outcome_of(std::forward<Code>(code));
    } catch (const error &chosen) {
        outcome result(chosen.code() == status::ok ? status::unknown : chosen.code(), chosen.text(),
                       chosen.remote_type());
        result.details = chosen.details();
        return result;
    } catch (const std::exception &thrown) {
        const char *const words = thrown.what();
        return {status::unknown, words != nullptr ? words : "", type_name(thrown)};
    } catch (...) {
        return {status::unknown, "the handler threw something that is not a std::exception"};
    }
#endif
}

} // namespace ipc::rpc::detail
#endif
