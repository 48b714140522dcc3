using System;
using System.Runtime.InteropServices;
using System.Runtime.InteropServices.Marshalling;

namespace OfficeAddin.Xll;

/// <summary>What every interface of Office derives from. Nobody calls ours by name: Office calls the methods that follow these.</summary>
[GeneratedComInterface]
[Guid("00020400-0000-0000-C000-000000000046")]
internal unsafe partial interface IDispatch
{
    [PreserveSig]
    int GetTypeInfoCount(uint* count);

    [PreserveSig]
    int GetTypeInfo(uint index, uint language, void** info);

    [PreserveSig]
    int GetIDsOfNames(Guid* reserved, char** names, uint count, uint language, int* ids);

    [PreserveSig]
    int Invoke(int member, Guid* reserved, uint language, ushort flags, void* arguments, Variant* result, void* exception, uint* wrong);
}
