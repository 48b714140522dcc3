using System;
using System.Runtime.InteropServices;
using System.Runtime.InteropServices.Marshalling;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32;

namespace OfficeAddin.Xll;

/// <summary>The class of <see cref="RtdServer"/>: how Excel finds it, and how it makes one.</summary>
/// <remarks>
/// Excel knows servers of live values by a name in the registry. It is the user's own part of it, so nobody needs to be an administrator; it is gone when the user
/// logs off, at the latest; and the name comes from the path of the add-in, so that two copies of it do not take one another's calls.
/// </remarks>
[GeneratedComClass]
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class RtdClass : IClassFactory, IDisposable
{
    private const string Classes = @"Software\Classes\";

    private static readonly StrategyBasedComWrappers Wrappers = new();
    private static RtdClass? _current;

    private readonly Guid _id;

    private RtdClass(string library)
    {
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes(library.ToUpperInvariant()));
        _id = new Guid(hash.AsSpan(0, 16));
        Name = "Ipc.Sheet." + _id.ToString("N")[..8];
    }

    /// <summary>What Excel is told to look for.</summary>
    public string Name { get; }

    private string ClassKey => Classes + @"CLSID\" + _id.ToString("B");

    /// <summary>Makes the class known to Excel. Throws when the registry does not let it.</summary>
    /// <param name="library">The add-in's path, as Excel has loaded it.</param>
    public static RtdClass Register(string library)
    {
        RtdClass made = new(library);
        MakeParents();
        using RegistryKey name = Create(Classes + made.Name + @"\CLSID");
        name.SetValue(null, made._id.ToString("B"));
        using RegistryKey server = Create(made.ClassKey + @"\InprocServer32");
        server.SetValue(null, library);
        server.SetValue("ThreadingModel", "Apartment");
        using RegistryKey back = Create(made.ClassKey + @"\ProgID");
        back.SetValue(null, made.Name);
        _current = made;
        return made;
    }

    /// <summary>Excel finds it no more.</summary>
    public void Dispose()
    {
        Registry.CurrentUser.DeleteSubKeyTree(Classes + Name, throwOnMissingSubKey: false);
        Registry.CurrentUser.DeleteSubKeyTree(ClassKey, throwOnMissingSubKey: false);
    }

    /// <summary>What DllGetClassObject does.</summary>
    public static int GetObject(Guid* id, Guid* wanted, void** found)
    {
        if (id == null || wanted == null || found == null)
            return HResult.Pointer;
        *found = null;
        return _current is { } current && current._id == *id ? Query(current, wanted, found) : HResult.ClassNotAvailable;
    }

    public int CreateInstance(void* outer, Guid* wanted, void** instance)
    {
        if (wanted == null || instance == null)
            return HResult.Pointer;
        *instance = null;
        try
        {
            return outer != null ? HResult.NoAggregation : Query(new RtdServer(), wanted, instance);
        }
        catch (Exception exception)
        {
            Log.Write(exception.ToString());
            return HResult.Fail;
        }
    }

    public int LockServer(int isLocked) => HResult.Ok; // it is never unloaded

    private static int Query(object made, Guid* wanted, void** found)
    {
        nint unknown = Wrappers.GetOrCreateComInterfaceForObject(made, CreateComInterfaceFlags.None);
        int result = Marshal.QueryInterface(unknown, in *wanted, out nint asked);
        Marshal.Release(unknown);
        *found = (void*)asked;
        return result;
    }

    /// <summary>Those that every program shares. They stay: below one that is gone when the user logs off no program could register for longer than that.</summary>
    private static void MakeParents() => Registry.CurrentUser.CreateSubKey(Classes + "CLSID").Dispose();

    private static RegistryKey Create(string name)
        => Registry.CurrentUser.CreateSubKey(name, RegistryKeyPermissionCheck.ReadWriteSubTree, RegistryOptions.Volatile);
}
