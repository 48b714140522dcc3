using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The server's side: a handler per method, which calls the implementation.</summary>
/// <remarks>Of a synchronous and an asynchronous form it calls the synchronous one: it runs where the request was read, without a task.</remarks>
internal static class DispatcherEmitter
{
    public static void Emit(SourceWriter source, ContractModel contract)
    {
        source.Line("/// <summary>The service that calls <paramref name=\"implementation\"/>; of two methods that differ in Async only, the synchronous one.</summary>");
        source.Open(contract.Accessibility + " static global::Ipc.Rpc.RpcService Service(" + contract.Interface + " implementation)");
        source.Line("if (implementation == null)");
        source.Indent();
        source.Line("throw new global::System.ArgumentNullException(nameof(implementation));");
        source.Outdent();
        source.Line();
        source.Line("return new global::Ipc.Rpc.RpcService(ServiceName, new global::Ipc.Rpc.RpcHandler[]");
        source.Open();
        foreach (MethodModel method in contract.Methods)
            Handler(source, contract, method);
        source.Close(");");
        source.Close();
    }

    private static void Handler(SourceWriter source, ContractModel contract, MethodModel method)
    {
        MemberModel member = method.Members[0];
        string target = member.Interface == contract.Interface ? "implementation" : "((" + member.Interface + ")implementation)";
        string call = target + "." + CSharpNames.Escape(member.Name) + "(" + string.Join(", ", Arguments(method, member)) + ")";
        string types = "<" + method.Request.Type + ", " + method.Response.Type + ">(";
        (string factory, string body) = member.Style switch
        {
            ResultStyle.Void => ("Unary", "{ " + call + "; return default; }"),
            ResultStyle.Value => ("Unary", call),
            ResultStyle.Task or ResultStyle.ValueTask => ("UnaryAsync", "global::Ipc.Rpc.RpcEmpty.After(" + call + ")"),
            ResultStyle.TaskOfValue => ("UnaryAsync", "new global::System.Threading.Tasks.ValueTask<" + method.Response.Type + ">(" + call + ")"),
            ResultStyle.ValueTaskOfValue => ("UnaryAsync", call),
            _ => ("ServerStream", call),
        };
        source.Line("global::Ipc.Rpc.RpcHandler." + factory + types + method.Field + ", (request, cancel) => " + body + "),");
    }

    private static System.Collections.Generic.IEnumerable<string> Arguments(MethodModel method, MemberModel member)
    {
        int sent = 0;
        foreach (ParameterModel parameter in member.Parameters)
        {
            if (parameter.Name == member.CancelName)
                yield return "cancel";
            else if (method.Request.Form == MessageForm.Arguments)
                yield return "request." + method.Request.Arguments[sent++];
            else
                yield return "request";
        }
    }
}
