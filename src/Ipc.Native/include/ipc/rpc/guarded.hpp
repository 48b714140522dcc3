// The border between the library and the user's code.
#ifndef IPC_RPC_GUARDED_HPP
#define IPC_RPC_GUARDED_HPP

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

#if defined(__GNUC__)
#include <cstdlib>
#include <cxxabi.h>
#endif

#include "status.hpp"

namespace ipc::rpc::detail
{

inline std::string type_name(const std::type_info &type)
{
#if defined(__GNUC__)
    int failed = 0;
    const std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(type.name(), nullptr, nullptr, &failed),
                                                        std::free);
    if (failed == 0 && plain != nullptr)
        return plain.get();
#endif
    return type.name();
}

// Runs the user's code; whatever it throws becomes the outcome of the call.
template <class Code> outcome guarded(Code &&code)
{
    try {
        using result = decltype(code());
        if constexpr (std::is_void_v<result>) {
            code();
            return {};
        } else {
            return outcome(code());
        }
    } catch (const error &chosen) {
        outcome result(chosen.code() == status::ok ? status::unknown : chosen.code(), chosen.text(),
                       chosen.remote_type());
        result.details = chosen.details();
        return result;
    } catch (const std::exception &thrown) {
        return {status::unknown, thrown.what(), type_name(typeid(thrown))};
    } catch (...) {
        return {status::unknown, "the handler threw something that is not a std::exception"};
    }
}

} // namespace ipc::rpc::detail
#endif
