using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The caller's side: the contract, implemented by calls.</summary>
internal static class ProxyEmitter
{
    private const string Caller = "global::Ipc.Rpc.RpcCaller";

    public static void Emit(SourceWriter source, ContractModel contract, string generatedClass)
    {
        source.Open("private sealed class Proxy : " + contract.Interface);
        source.Line("private readonly global::Ipc.Rpc.RpcCaller _caller;");
        source.Line();
        source.Line("internal Proxy(global::Ipc.Rpc.RpcCaller caller) => this._caller = caller ?? throw new global::System.ArgumentNullException(nameof(caller));");
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
        string head = member.ReturnType + " " + member.Interface + "." + CSharpNames.Escape(member.Name) + "(" + parameters + ")";
        source.Line();
        if (member.Style is ResultStyle.Task or ResultStyle.TaskOfValue or ResultStyle.ValueTask or ResultStyle.ValueTaskOfValue)
        {
            Asynchronous(source, head, method, member, generatedClass);
            return;
        }

        source.Line(head);
        source.Indent();
        source.Line("=> " + Call(method, member, generatedClass) + ";");
        source.Outdent();
    }

    /// <summary>What goes wrong belongs into the task, also what is found out before there is one.</summary>
    private static void Asynchronous(SourceWriter source, string head, MethodModel method, MemberModel member, string generatedClass)
    {
        string error = "ipcError";
        while (member.Parameters.Any(p => p.Name == error))
            error += "_";
        bool hasValue = member.Style is ResultStyle.TaskOfValue or ResultStyle.ValueTaskOfValue;
        string failed = Caller + ".Failed<" + (hasValue ? method.Response.Type : "global::Ipc.Rpc.RpcEmpty") + ">(" + error + ")";
        source.Open(head);
        source.Open("try");
        source.Line("return " + Call(method, member, generatedClass) + ";");
        source.Close();
        source.Open("catch (global::System.Exception " + error + ")");
        source.Line("return " + (member.Style switch
        {
            ResultStyle.Task or ResultStyle.TaskOfValue => failed + ".AsTask()",
            ResultStyle.ValueTask => "global::Ipc.Rpc.RpcEmpty.Discard(" + failed + ")",
            _ => failed,
        }) + ";");
        source.Close();
        source.Close();
    }

    private static string Call(MethodModel method, MemberModel member, string generatedClass)
    {
        string first = generatedClass + "." + CSharpNames.Escape(method.Field) + ", " + Request(method, member);
        if (method.IsOneWay)
            return member.IsSynchronous ? "this._caller.Notify(" + first + ")" : "this._caller.NotifyAsync(" + first + ", " + Cancel(member) + ")" + (member.Style == ResultStyle.Task ? ".AsTask()" : "");

        string rest = Items(member) + Progress(method, member) + ", " + Cancel(member);
        if (method.IsStream)
            return "this._caller." + (method.Kind == CallKind.Duplex ? "Duplex(" : "Stream(") + first + rest + ")";

        string call = "this._caller." + (method.Kind == CallKind.ClientStream ? "ClientStream(" : member.IsSynchronous ? "Call(" : "CallAsync(") + first + rest + ")";
        return member.Style switch
        {
            ResultStyle.Task or ResultStyle.TaskOfValue => Caller + ".TaskOf(" + call + ")",
            ResultStyle.ValueTask => "global::Ipc.Rpc.RpcEmpty.Discard(" + call + ")",
            _ => call,
        };
    }

    private static string Request(MethodModel method, MemberModel member)
    {
        string arguments = string.Join(", ", member.Arguments.Select(static p => CSharpNames.Escape(p.Name)));
        if (method.Request.Form == MessageForm.Arguments)
            return "new " + method.Request.Type + "(" + arguments + ")";
        return arguments.Length == 0 ? "default(global::Ipc.Rpc.RpcEmpty)" : arguments;
    }

    private static string Items(MemberModel member)
        => member.Having(ParameterRole.Stream) is { } stream ? ", " + CSharpNames.Escape(stream.Name) : "";

    private static string Progress(MethodModel method, MemberModel member)
        => member.Having(ParameterRole.Progress) is not { } progress ? ""
            : ", " + CSharpNames.Escape(progress.Name)
                + (progress.Type.EndsWith("?", System.StringComparison.Ordinal) ? " ?? new global::System.Progress<" + method.Progress!.Type + ">()" : "");

    private static string Cancel(MemberModel member)
    {
        if (member.Having(ParameterRole.CallContext) is { } context)
            return CSharpNames.Escape(context.Name) + ".CancellationToken";
        return member.Having(ParameterRole.Cancel) is { } cancel ? CSharpNames.Escape(cancel.Name) : "default";
    }
}
