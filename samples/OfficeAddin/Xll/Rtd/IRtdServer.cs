using System.Runtime.InteropServices;
using System.Runtime.InteropServices.Marshalling;

namespace OfficeAddin.Xll;

/// <summary>What Excel calls of a server of live values, on its main thread.</summary>
[GeneratedComInterface]
[Guid("EC0E6191-DB51-11D3-8F3E-00C04F3651B8")]
internal unsafe partial interface IRtdServer : IDispatch
{
    /// <summary>Excel offers an object to be told through that there are new values.</summary>
    [PreserveSig]
    int ServerStart(void* update, int* result);

    /// <summary>A cell wants a value: <paramref name="strings"/> are what the formula has behind the server's name.</summary>
    [PreserveSig]
    int ConnectData(int topic, void** strings, short* getNewValue, Variant* value);

    /// <summary>All that has changed: an array of two rows, topics above values.</summary>
    [PreserveSig]
    int RefreshData(int* count, void** changes);

    [PreserveSig]
    int DisconnectData(int topic);

    [PreserveSig]
    int Heartbeat(int* alive);

    [PreserveSig]
    int ServerTerminate();
}
