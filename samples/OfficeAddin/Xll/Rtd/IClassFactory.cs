using System;
using System.Runtime.InteropServices;
using System.Runtime.InteropServices.Marshalling;

namespace OfficeAddin.Xll;

[GeneratedComInterface]
[Guid("00000001-0000-0000-C000-000000000046")]
internal unsafe partial interface IClassFactory
{
    [PreserveSig]
    int CreateInstance(void* outer, Guid* wanted, void** instance);

    [PreserveSig]
    int LockServer(int isLocked);
}
