#include "peer.h"
int peer_listen(char **arguments, int count)
{
    (void)arguments;
    (void)count;
    return 2;
}
int peer_connect(char **arguments, int count)
{
    (void)arguments;
    (void)count;
    return 2;
}
