using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The caller's side: the contract, implemented by calls.</summary>
internal static class ProxyEmitter
{
    private const string Tasks = "global::System.Threading.Tasks.";

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
        if (method.IsOneWay && !member.IsSynchronous)
        {
            Notify(source, head, method, member, generatedClass);
            return;
        }

        source.Line(head);
        source.Indent();
        source.Line("=> " + Call(method, member, generatedClass) + ";");
        source.Outdent();
    }

    private static string Call(MethodModel method, MemberModel member, string generatedClass)
    {
        string first = generatedClass + "." + CSharpNames.Escape(method.Field) + ", " + Request(method, member);
        if (method.IsOneWay)
            return "this._caller.Notify(" + first + ")";

        string rest = Items(member) + Progress(method, member) + ", " + Cancel(member);
        if (method.IsStream)
            return "this._caller." + (method.Kind == CallKind.Duplex ? "Duplex(" : "Stream(") + first + rest + ")";

        string call = "this._caller." + (method.Kind == CallKind.ClientStream ? "ClientStream(" : member.IsSynchronous ? "Call(" : "CallAsync(") + first + rest + ")";
        return member.Style switch
        {
            ResultStyle.Task or ResultStyle.TaskOfValue => "global::Ipc.Rpc.RpcCaller.TaskOf(" + call + ")",
            ResultStyle.ValueTask => "global::Ipc.Rpc.RpcEmpty.Discard(" + call + ")",
            _ => call,
        };
    }

    /// <summary>An asynchronous one-way method is done when its request has been sent; what goes wrong belongs into its task.</summary>
    private static void Notify(SourceWriter source, string head, MethodModel method, MemberModel member, string generatedClass)
    {
        bool isTask = member.Style == ResultStyle.Task;
        string Failed(string task) => "return " + (isTask ? task : "new " + Tasks + "ValueTask(" + task + ")") + ";";
        source.Open(head);
        string cancel = Cancel(member);
        if (cancel != "default")
        {
            source.Line("if (" + cancel + ".IsCancellationRequested)");
            source.Indent();
            source.Line(Failed(Tasks + "Task.FromCanceled(" + cancel + ")"));
            source.Outdent();
        }

        source.Open("try");
        string call = "this._caller.NotifyAsync(" + generatedClass + "." + CSharpNames.Escape(method.Field) + ", " + Request(method, member) + ", " + cancel + ")";
        source.Line("return " + call + (isTask ? ".AsTask();" : ";"));
        source.Close();
        string error = "ipcError";
        while (member.Parameters.Any(p => p.Name == error))
            error += "_";
        source.Open("catch (global::System.Exception " + error + ")");
        source.Line(Failed(Tasks + "Task.FromException(" + error + ")"));
        source.Close();
        source.Close();
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
