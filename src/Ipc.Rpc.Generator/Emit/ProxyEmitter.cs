using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The client's side: the contract, implemented by calls.</summary>
internal static class ProxyEmitter
{
    public static void Emit(SourceWriter source, ContractModel contract, string generatedClass)
    {
        source.Open("private sealed class Proxy : " + contract.Interface);
        source.Line("private readonly global::Ipc.Rpc.RpcClient _client;");
        source.Line();
        source.Line("internal Proxy(global::Ipc.Rpc.RpcClient client) => this._client = client ?? throw new global::System.ArgumentNullException(nameof(client));");
        foreach (MethodModel method in contract.Methods)
        {
            foreach (MemberModel member in method.Members)
                Member(source, method, member, generatedClass);
        }

        source.Close();
    }

    private static void Member(SourceWriter source, MethodModel method, MemberModel member, string generatedClass)
    {
        string parameters = string.Join(", ", member.Parameters.Select(static p => p.Type + " " + CSharpNames.Escape(p.Name)));
        string arguments = generatedClass + "." + method.Field + ", " + Request(method, member) + ", " + (member.CancelName is null ? "default" : CSharpNames.Escape(member.CancelName));
        string call = member.Style switch
        {
            ResultStyle.Void or ResultStyle.Value => "this._client.Call(" + arguments + ")",
            ResultStyle.Task or ResultStyle.TaskOfValue => "this._client.CallAsync(" + arguments + ").AsTask()",
            ResultStyle.ValueTask => "global::Ipc.Rpc.RpcEmpty.Discard(this._client.CallAsync(" + arguments + "))",
            ResultStyle.ValueTaskOfValue => "this._client.CallAsync(" + arguments + ")",
            _ => "this._client.Stream(" + arguments + ")",
        };

        source.Line();
        source.Line(member.ReturnType + " " + member.Interface + "." + CSharpNames.Escape(member.Name) + "(" + parameters + ")");
        source.Indent();
        source.Line("=> " + call + ";");
        source.Outdent();
    }

    private static string Request(MethodModel method, MemberModel member)
    {
        string arguments = string.Join(", ", member.Arguments.Select(static p => CSharpNames.Escape(p.Name)));
        if (method.Request.Form == MessageForm.Arguments)
            return "new " + method.Request.Type + "(" + arguments + ")";
        return arguments.Length == 0 ? "default(global::Ipc.Rpc.RpcEmpty)" : arguments;
    }
}
