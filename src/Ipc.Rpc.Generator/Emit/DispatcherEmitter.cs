using System.Collections.Generic;

namespace Ipc.Rpc.Generator;

/// <summary>The callee's side: a handler per method, which calls the implementation.</summary>
/// <remarks>Of a synchronous and an asynchronous form it calls the synchronous one: it runs where the request was read, without a task.</remarks>
internal static class DispatcherEmitter
{
    public static void Emit(SourceWriter source, ContractModel contract)
    {
        source.Line("/// <summary>The service that calls <paramref name=\"implementation\"/>; of two methods that differ in Async only, the synchronous one.</summary>");
        Service(source, contract, "Service(" + contract.Interface, "implementation");
        source.Line();
        source.Line("/// <summary>The service that asks <paramref name=\"implementation\"/> for an object with every call, and calls that.</summary>");
        Service(source, contract, "ServicePerCall(global::System.Func<" + contract.Interface + ">", "implementation()");
    }

    private static void Service(SourceWriter source, ContractModel contract, string head, string target)
    {
        source.Open(contract.Accessibility + " static global::Ipc.Rpc.RpcService " + head + " implementation)");
        source.Line("if (implementation == null)");
        source.Indent();
        source.Line("throw new global::System.ArgumentNullException(nameof(implementation));");
        source.Outdent();
        source.Line();
        source.Line("return new global::Ipc.Rpc.RpcService(ServiceName, new global::Ipc.Rpc.RpcHandler[]");
        source.Open();
        foreach (MethodModel method in contract.Methods)
            Handler(source, contract, method, target);
        source.Close(");");
        source.Close();
    }

    private static void Handler(SourceWriter source, ContractModel contract, MethodModel method, string implementation)
    {
        MemberModel member = method.Members[0];
        string target = member.Interface == contract.Interface ? implementation : "((" + member.Interface + ")" + implementation + ")";
        string call = target + "." + CSharpNames.Escape(member.Name) + "(" + string.Join(", ", Arguments(method, member)) + ")";
        string parameters = "(request, " + (method.Input is null ? "" : "items, ") + (method.Progress is null ? "" : "progress, ") + "cancel) => ";
        if (method.Kind == CallKind.Unary && method.Progress is null && member.Having(ParameterRole.Cancel) is null && member.Having(ParameterRole.CallContext) is null)
            parameters = "request => "; // the callee makes no token for it
        string types = method.IsOneWay ? "<" + method.Request.Type + ">" : MethodEmitter.Types(method);
        string inline = method.IsInline ? ".Inline()" : "";
        source.Line("global::Ipc.Rpc.RpcHandler." + Factory(method, member) + types + "(" + CSharpNames.Escape(method.Field) + ", " + parameters + Body(method, member, call) + ")" + inline + ",");
    }

    private static string Factory(MethodModel method, MemberModel member)
    {
        if (method.Kind != CallKind.Unary)
            return method.Kind.ToString();
        if (method.IsOneWay)
            return member.IsSynchronous ? "OneWay" : "OneWayAsync";
        if (method.Progress is not null)
            return "UnaryProgress";
        return member.IsSynchronous ? "Unary" : "UnaryAsync";
    }

    private static string Body(MethodModel method, MemberModel member, string call) => member.Style switch
    {
        ResultStyle.Void when method.IsOneWay => call,
        ResultStyle.Void => "{ " + call + "; return default; }",
        ResultStyle.Task when method.IsOneWay => "new global::System.Threading.Tasks.ValueTask(" + call + ")",
        ResultStyle.ValueTask when method.IsOneWay => call,
        ResultStyle.Task or ResultStyle.ValueTask => "global::Ipc.Rpc.RpcEmpty.After(" + call + ")",
        ResultStyle.TaskOfValue => "new global::System.Threading.Tasks.ValueTask<" + method.Response.Type + ">(" + call + ")",
        _ => call,
    };

    private static IEnumerable<string> Arguments(MethodModel method, MemberModel member)
    {
        int sent = 0;
        foreach (ParameterModel parameter in member.Parameters)
        {
            yield return parameter.Role switch
            {
                ParameterRole.Cancel or ParameterRole.CallContext => "cancel", // which converts to a CallContext
                ParameterRole.Stream => "items",
                ParameterRole.Progress => "progress",
                _ when method.Request.Form == MessageForm.Arguments => "request." + CSharpNames.Escape(method.Request.Arguments[sent++]),
                _ => "request",
            };
        }
    }
}
