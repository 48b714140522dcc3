using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>A native library of another version is refused in clear words before anything of it is called.</summary>
/// <remarks>Each test has a copy of the binding in a load context of its own: which library it has is decided once.</remarks>
public sealed class LibraryVersionTests
{
    [Fact]
    public void TheLibraryOfThisBuildIsTheVersionOfTheBinding()
    {
        Assert.Equal(new Version(0, 1, 0), IpcNative.Version);
        Version own = typeof(IpcNative).Assembly.GetName().Version!;
        Assert.Equal(new Version(own.Major, own.Minor, own.Build), IpcNative.Version);
    }

    [Fact]
    public void ALibraryOfAnotherVersionIsATypedErrorWithBothVersions()
    {
        Exception error = Load(NativeBuild.StandIn("ipc_of_another_version"));
        Assert.Equal(nameof(NativeLibraryException), error.GetType().Name);
        Assert.Equal(new Version(99, 2, 3), Property(error, nameof(NativeLibraryException.Found)));
        Assert.Equal(new Version(0, 1, 0), Property(error, nameof(NativeLibraryException.Expected)));
        Assert.Contains("99.2.3", error.Message, StringComparison.Ordinal);
        Assert.Contains("0.1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ALibraryThatIsSomethingElseIsATypedError()
    {
        Exception error = Load(NativeBuild.StandIn("ipc_of_somebody_else"));
        Assert.Equal(nameof(NativeLibraryException), error.GetType().Name);
        Assert.Null(Property(error, nameof(NativeLibraryException.Found)));
        Assert.IsType<EntryPointNotFoundException>(error.InnerException);
    }

    [Fact]
    public void AMissingLibraryIsATypedError()
    {
        Exception error = Load(Path.Combine(AppContext.BaseDirectory, "nowhere", "libipc.so"));
        Assert.Equal(nameof(NativeLibraryException), error.GetType().Name);
        Assert.IsType<DllNotFoundException>(error.InnerException);
        Assert.Contains("linux-x64", error.Message, StringComparison.Ordinal);
    }

    /// <summary>The error of a fresh copy of the binding that is told to load that library; the second answer is the first.</summary>
    private static Exception Load(string library)
    {
        var context = new AssemblyLoadContext("another binding", isCollectible: false);
        MethodInfo open = context.LoadFromAssemblyPath(typeof(IpcNative).Assembly.Location)
            .GetType("Ipc.Native.IpcNative", throwOnError: true)!
            .GetMethod(nameof(IpcNative.Clear))!;
        AppContext.SetData(NativeBuild.PathSetting, library);
        try
        {
            Exception first = Ask(open);
            Assert.Equal(first.Message, Ask(open).Message);
            return first;
        }
        finally
        {
            NativeBuild.Use();
        }
    }

    private static Exception Ask(MethodInfo clear)
        => Assert.Throws<TargetInvocationException>(() => clear.Invoke(null, ["no-such-region"])).InnerException!;

    private static object? Property(Exception error, string name) => error.GetType().GetProperty(name)!.GetValue(error);
}
