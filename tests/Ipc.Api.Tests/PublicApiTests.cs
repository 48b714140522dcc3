using System;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Xunit;

namespace Ipc.Api.Tests;

/// <summary>What the libraries promise to code that is not theirs changes on purpose only, is documented, and is safe to name.</summary>
public sealed class PublicApiTests
{
    public static readonly TheoryData<string> Libraries = new(Asset.Libraries);

    public static readonly TheoryData<string, string> Assets = [.. Asset.Libraries.SelectMany(static library => Asset.FrameworksOf(library).Select(framework => (library, framework)))];

    /// <summary>After a wanted change, run once with IPC_UPDATE_API=1 and check the difference in.</summary>
    [Theory]
    [MemberData(nameof(Libraries))]
    public void ThePublicSurfaceIsTheOneUnderReview(string library)
    {
        string file = Path.Combine(Source(), library, "PublicAPI.txt");
        string surface = Surface.Of(library);
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_API") == "1")
            File.WriteAllText(file, surface);

        string[] reviewed = File.ReadAllLines(file);
        string[] now = surface.TrimEnd('\n').Split('\n');
        string difference = string.Join('\n', now.Except(reviewed).Select(static l => "+ " + l).Concat(reviewed.Except(now).Select(static l => "- " + l)));
        Assert.True(surface == File.ReadAllText(file), $"The public surface of {library} has changed. If that is wanted: IPC_UPDATE_API=1.\n{difference}");
    }

    /// <summary>The compiler asks for the comments too (CS1591), but is silenced by a pragma and content with an empty one.</summary>
    [Theory]
    [MemberData(nameof(Assets))]
    public void EveryPublicMemberIsDocumented(string library, string framework)
    {
        var asset = new Asset(library, framework);
        string[] missing = asset.Types()
            .SelectMany(static type => Asset.Members(type).Where(HasWordsOfItsOwn).Prepend(type))
            .Where(symbol => asset.DocumentOf(symbol) is null)
            .Select(static symbol => symbol.ToDisplayString())
            .ToArray();
        Assert.True(missing.Length == 0, $"Without a comment in {library} for {framework}:\n{string.Join('\n', missing)}");
    }

    /// <summary>A pointer in a signature is a lifetime that the caller has to know; the surface speaks of spans.</summary>
    [Theory]
    [MemberData(nameof(Assets))]
    public void NoPublicSignatureHasAPointer(string library, string framework)
    {
        var asset = new Asset(library, framework);
        string[] pointers = asset.Types()
            .SelectMany(static type => Asset.Members(type).Append(type).Where(static m => Signature.TypesOf(m).Any(Signature.IsPointer)))
            .Select(static member => member.ToDisplayString())
            .ToArray();
        Assert.Empty(pointers);
    }

    /// <summary>Every type that a signature names can be found by whoever has the library and the framework, and by nothing else.</summary>
    [Theory]
    [MemberData(nameof(Assets))]
    public void EveryTypeOfTheSurfaceIsKnown(string library, string framework)
    {
        var asset = new Asset(library, framework);
        string[] unknown = asset.Types()
            .SelectMany(static type => Asset.Members(type).SelectMany(static m => Signature.TypesOf(m)).Concat(type.AllInterfaces).Append(type.BaseType ?? type))
            .Where(static type => type.TypeKind == TypeKind.Error)
            .Select(static type => type.ToDisplayString())
            .ToArray();
        Assert.Empty(unknown);
    }

    [Theory]
    [MemberData(nameof(Assets))]
    public void TheFrameworkIsTheOnlyDependency(string library, string framework)
    {
        // .NET Framework has neither Span nor IAsyncEnumerable: there, and only there, two packages of the framework's makers bring them.
        string[] packages = ["System.Memory", "Microsoft.Bcl.AsyncInterfaces", "System.Runtime.CompilerServices.Unsafe", "System.Threading.Tasks.Extensions", "System.Buffers"];
        string[] foreign = new Asset(library, framework).Assembly.Modules.Single().ReferencedAssemblies.Select(static a => a.Name)
            .Where(name => framework == "netstandard2.0"
                ? name != "netstandard" && !packages.Contains(name)
                : !name.StartsWith("System.", StringComparison.Ordinal) && name != "Microsoft.Win32.Primitives") // the framework's own, with Win32Exception alone
            .Where(name => library is "Ipc.Core" or "Ipc.Native" || name is not ("Ipc.Core" or "Ipc.Rpc"))
            .Where(name => library != "Ipc.AspNetCore" || name != "Ipc.Pipelines" && !name.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal) && !name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal))
            .Where(name => library != "Ipc.Grpc" || !name.StartsWith("Grpc.", StringComparison.Ordinal) && !name.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal) && !name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal))
            .Where(name => library != "Ipc.Hosting" || !name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal))
            .Where(name => library != "Ipc.Hosting.RabbitMq" || name is not ("Ipc.Hosting" or "Ipc.Rpc.RabbitMq") && !name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal))
            .Where(name => library != "Ipc.Pipelines" || name != "System.IO.Pipelines") // the framework's own from .NET 9 on
            .Where(name => library != "Ipc.Rpc.MessagePack" || name is not ("MessagePack" or "MessagePack.Annotations"))
            .Where(name => library != "Ipc.Rpc.RabbitMq" || name != "RabbitMQ.Client")
            .Where(name => library != "Ipc.Rpc.ProtobufNet" || name is not ("protobuf-net" or "protobuf-net.Core"))
            .ToArray();
        Assert.Empty(foreign);
    }

    /// <summary>The guard of the guards: a dump of nothing would be equal to a review of nothing.</summary>
    [Fact]
    public void TheSurfaceIsReadAtAll()
    {
        INamedTypeSymbol writer = Assert.Single(new Asset("Ipc.Core", "net10.0").Types(), static t => t.Name == "RingWriter");
        Assert.Contains(Asset.Members(writer), static m => m.Name == "TryClaim");
        Assert.DoesNotContain(Asset.Members(writer), static m => m.DeclaredAccessibility is Accessibility.Internal or Accessibility.Private);
        Assert.Contains("    public bool TryClaim(int length, out Span<byte> payload)", Surface.Of("Ipc.Core"), StringComparison.Ordinal);
    }

    /// <summary>Not what the compiler writes (members of records, default constructors) nor what a base type has documented.</summary>
    private static bool HasWordsOfItsOwn(ISymbol member)
        => !member.IsOverride
            && member is not IMethodSymbol { MethodKind: MethodKind.Constructor, Parameters.Length: 0 }
            && !member.GetAttributes().Any(static a => a.AttributeClass!.Name == nameof(CompilerGeneratedAttribute));

    private static string Source([CallerFilePath] string path = "") => Path.Combine(Path.GetDirectoryName(path)!, "..", "..", "src");
}
