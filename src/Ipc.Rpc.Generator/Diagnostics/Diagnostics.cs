using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What a contract may not contain. Each has a page docs/diagnostics/&lt;id&gt;.md.</summary>
internal static class Diagnostics
{
    /// <summary>The property of the build that has the folder of the pages.</summary>
    public const string PagesProperty = "IpcRpcDiagnosticPages";

    private const string Category = "Ipc.Rpc";
    private const string Pages = "docs/diagnostics/";

    public static readonly DiagnosticDescriptor GenericContract = new(
        "IPCRPC001",
        "A contract is not generic",
        "The contract '{0}' has type parameters, and a service on the wire has none; remove them, or write an interface for each type",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC001.md");

    public static readonly DiagnosticDescriptor InaccessibleContract = new(
        "IPCRPC002",
        "A contract is accessible",
        "The contract '{0}' is not accessible to generated code; make it and the types around it public or internal",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC002.md");

    public static readonly DiagnosticDescriptor InvalidServiceName = new(
        "IPCRPC003",
        "A service name is dotted identifiers",
        "The service name \"{0}\" is not made of identifiers (letters, digits and '_') joined by dots; write one like \"shop.orders.v1\"",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC003.md");

    public static readonly DiagnosticDescriptor UnsupportedMember = new(
        "IPCRPC004",
        "A contract has methods only",
        "'{0}' is {1}, and a contract has only methods; write a method instead, for an event a callback contract or an IAsyncEnumerable",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC004.md");

    public static readonly DiagnosticDescriptor GenericMethod = new(
        "IPCRPC005",
        "A contract method is not generic",
        "The method '{0}' has type parameters, and its messages would not be known at compile time; write a method for each type",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC005.md");

    public static readonly DiagnosticDescriptor ByReference = new(
        "IPCRPC006",
        "A contract method passes by value",
        "'{0}' passes by reference ('{1}'), and arguments and results travel by value; remove '{1}', and return what comes back",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC006.md");

    public static readonly DiagnosticDescriptor MisplacedCancellation = new(
        "IPCRPC007",
        "A CancellationToken comes once and last",
        "The method '{0}' has a CancellationToken that is not its last parameter, or more than one; make one the last parameter",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC007.md");

    public static readonly DiagnosticDescriptor UnsupportedType = new(
        "IPCRPC008",
        "A type can be sent",
        "'{0}' of {1} cannot be sent: {2}; {3}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC008.md");

    public static readonly DiagnosticDescriptor DuplicateMethod = new(
        "IPCRPC009",
        "A method name is unique on the wire",
        "The method '{0}' has the wire name \"{1}\" like '{2}', but is not its synchronous or asynchronous twin; rename one by [IpcMethod]",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC009.md");

    public static readonly DiagnosticDescriptor IdCollision = new(
        "IPCRPC010",
        "A method id is unique",
        "The methods \"{0}\" and \"{1}\" have the same id {2}; rename one by [IpcMethod]",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC010.md");

    public static readonly DiagnosticDescriptor MissingNumber = new(
        "IPCRPC011",
        "A field has a number",
        "'{0}' has no field number; write [DataMember(Order = n)]",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC011.md");

    public static readonly DiagnosticDescriptor DuplicateNumber = new(
        "IPCRPC012",
        "A field number is unique",
        "'{0}' has the field number {1} like '{2}'; give one of them another number",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC012.md");

    public static readonly DiagnosticDescriptor InvalidNumber = new(
        "IPCRPC013",
        "A field number is allowed",
        "'{0}' has the field number {1}; give it one of 1 to 536870911 except 19000 to 19999",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC013.md");

    public static readonly DiagnosticDescriptor NotConstructible = new(
        "IPCRPC014",
        "A message can be constructed",
        "'{0}' cannot be constructed from its fields: {1}; {2}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC014.md");

    public static readonly DiagnosticDescriptor NameClash = new(
        "IPCRPC015",
        "A name is usable in the .proto",
        "The name '{0}' of {1} cannot be used in the .proto: {2}; {3}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC015.md");

    public static readonly DiagnosticDescriptor DisposableContract = new(
        "IPCRPC016",
        "A contract is not disposable",
        "The contract '{0}' extends '{1}', and nothing would say whose lifetime a remote Dispose ends; remove '{1}', and dispose the RpcClient",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC016.md");

    public static readonly DiagnosticDescriptor SecondStream = new(
        "IPCRPC017",
        "A method takes one stream at most",
        "The method '{0}' takes two streams, '{1}' and '{2}', and a call carries one in each direction; make one of them a list, or put both into one stream of messages",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC017.md");

    public static readonly DiagnosticDescriptor UnsupportedEnum = new(
        "IPCRPC018",
        "An enum has 32 bits",
        "The enum '{0}' has the underlying type '{1}', and protobuf enums are of type int, or smaller; make it an int, or send its number as a long",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC018.md");

    public static readonly DiagnosticDescriptor OldLanguage = new(
        "IPCRPC019",
        "The language is C# 8 or later",
        "The generated code of the contract '{0}' needs C# 8 or later; set LangVersion to 8.0 or more",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC019.md");

    public static readonly DiagnosticDescriptor InvalidMethodName = new(
        "IPCRPC020",
        "A method name is an identifier",
        "The wire name \"{0}\" of the method '{1}' is not an identifier of letters, digits and '_'; set another one by [IpcMethod(\"name\")]",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC020.md");

    public static readonly DiagnosticDescriptor OneWayWithAnswer = new(
        "IPCRPC021",
        "A one-way method has no answer",
        "The one-way method '{0}' has {1}, and of a one-way call one message goes and nothing comes back; remove that, or [IpcOneWay]",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC021.md");

    public static readonly DiagnosticDescriptor MisplacedProgress = new(
        "IPCRPC022",
        "Progress goes with one answer that is awaited",
        "The method '{0}' cannot take this IProgress: {1}; {2}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC022.md");

    public static readonly DiagnosticDescriptor SynchronousStream = new(
        "IPCRPC023",
        "A method that takes a stream is asynchronous",
        "The method '{0}' takes the stream '{1}' and would block its caller; return a Task, a ValueTask or an IAsyncEnumerable",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC023.md");

    public static readonly DiagnosticDescriptor InvalidCallback = new(
        "IPCRPC024",
        "A callback is a contract",
        "The callback '{1}' of '{0}' is not an interface that is a contract itself; mark it with [IpcService], or name one that is",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC024.md");

    public static readonly DiagnosticDescriptor IgnoredCallback = new(
        "IPCRPC025",
        "A message is not called back",
        "'{0}' is called by the serializer that it was written for, and not by the generated codec; remove it, or use that serializer at both ends and set the severity of IPCRPC025 to none",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC025.md");

    public static readonly DiagnosticDescriptor MisplacedOnce = new(
        "IPCRPC026",
        "A method that is executed once has one answer",
        "The method '{0}' cannot be [IpcOnce]: {1}; {2}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC026.md");

    public static readonly DiagnosticDescriptor NullableCollection = new(
        "IPCRPC027",
        "An empty collection arrives as null",
        "An empty '{0}' at {1} arrives as null, because protobuf has one form for both; remove the '?' and null arrives as empty, or put it into a message if null means something else",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC027.md");

    public static readonly DiagnosticDescriptor UnannotatedNull = new(
        "IPCRPC028",
        "Null arrives as empty",
        "Null arrives as empty at {0}, where nullable is not enabled and the compiler does not warn; write '#nullable enable' and a '?' where null means something, or set the severity of IPCRPC028 to none if null and empty mean the same",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC028.md");
}
