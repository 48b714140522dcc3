#if NET
using System.Runtime.CompilerServices;

[assembly: DisableRuntimeMarshalling]
#endif
