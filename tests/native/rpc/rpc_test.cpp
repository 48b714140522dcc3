// The tests of ipc/rpc.hpp in one program; each file of them has a namespace of its own.
#include "rpc_check.hpp"

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
