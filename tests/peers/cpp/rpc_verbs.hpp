// The verbs of rpc_peer that have a file of their own: one program, because a compiler makes all of ipc/rpc for each.
#ifndef RPC_VERBS_HPP
#define RPC_VERBS_HPP

namespace errors
{
int run(const char *name);
}

namespace list
{
int run(const char *name);
}

namespace probe
{
int run(const char *name, const char *shape);
}

namespace restart
{
int serve(const char *name, const char *file, bool is_slow, bool follows);
int call(const char *name);
} // namespace restart

namespace storm
{
int run(const char *name);
}

#endif
