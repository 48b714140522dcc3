using System;
using System.IO;
using System.Runtime.Versioning;
using System.Security;
using System.Threading;

namespace OfficeAddin.Xll;

/// <summary>The add-in in its host: found and registered when it is opened, its connections gone when it is closed, as often as the user likes.</summary>
/// <remarks>
/// The library stays loaded between two lives; what ends is its connections and their threads. Excel also closes add-ins when it is asked to quit and
/// then lets the user change his mind, after which the formulas are there and must work: functions that are called after the end begin a new
/// life by themselves. They are taken from the host only when it says that the user has removed the add-in (xlAutoRemove).
/// </remarks>
internal static class AddIn
{
    private const string Title = "Ipc: values from daemons through shared memory";

    private static readonly Lock Gate = new();

    private static volatile SpreadsheetHost? _host;
    private static volatile SheetFunctions? _functions;
    private static volatile LaterResults? _laterResults;
    private static volatile LiveValues? _liveValues;
    private static Registration? _registration;
    private static RtdClass? _liveClass;
    private static bool _removed;
    private static int _mainThread; // 0, which is none, until the add-in has been opened

    /// <summary>Where values go to and come from. Only for functions that the host calls: they are called after <see cref="Open"/>.</summary>
    public static Operands Operands => _host!.Operands;

    public static SheetFunctions Functions => _functions ?? Begin();

    /// <summary>Only for functions that were registered to answer later.</summary>
    public static LaterResults LaterResults => _laterResults!;

    /// <summary>Whether the calling thread is the one on which the host opened the add-in: the one of its windows and commands.</summary>
    public static bool IsOnMainThread => Environment.CurrentManagedThreadId == _mainThread;

    /// <summary>Null where the host asks for values and cannot be told.</summary>
    public static LiveValues? LiveValues => _liveValues;

    /// <summary>False when this process is no spreadsheet program, or takes none of the functions.</summary>
    public static bool Open()
    {
        lock (Gate)
        {
            _host ??= SpreadsheetHost.Find();
            if (_host is null)
            {
                Log.Write("neither MdCallBack12 nor Excel4v is in this process: no spreadsheet program");
                return false;
            }

            _removed = false;
            _mainThread = Environment.CurrentManagedThreadId;
            _registration ??= new Registration(_host);
            _laterResults ??= new LaterResults(_host);
            if (_host.HasLiveValues && _liveValues is null)
                BeginLiveValues(_host, _registration.Library());
            int registered = _registration.Register(Exports.Functions, _liveValues is not null);
            Log.Write($"{registered} of {Exports.Functions.Count} functions registered");
            return registered > 0;
        }
    }

    /// <summary>The title, when Excel asks for that (1). It asks before the add-in is opened.</summary>
    public static unsafe void* ManagerInfo(void* action)
    {
        const int WantsTitle = 1;
        Operands operands = new Excel12Operands();
        bool isKnown = operands.Read(action) is { } asked && asked[0, 0] is { Kind: CellKind.Number, Number: WantsTitle };
        return operands.Return(isKnown ? CellValue.Of(Title) : CellValue.Of(CellError.Value));
    }

    public static void Removing()
    {
        lock (Gate)
            _removed = true;
    }

    /// <summary>Returns when every thread of the add-in has ended.</summary>
    public static void Close()
    {
        SheetFunctions? ended;
        lock (Gate)
        {
            ended = _functions;
            _functions = null;
            if (_removed)
            {
                _registration?.Unregister();
                _registration = null;
                _liveValues = null;
                if (OperatingSystem.IsWindows())
                    _liveClass?.Dispose();
                _liveClass = null;
            }
        }

        ended?.Dispose();
        LaterResults.WaitForAll();
        if (OperatingSystem.IsWindows())
            RtdServer.FunctionsEnded();
        Log.Write("closed");
    }

    /// <summary>Without them, IPC.STREAM shows new values with each recalculation.</summary>
    [SupportedOSPlatform("windows")]
    private static void BeginLiveValues(SpreadsheetHost host, string? library)
    {
        if (library is null)
            return;
        try
        {
            RtdClass made = RtdClass.Register(library);
            _liveClass = made;
            _liveValues = new LiveValues(host, made.Name);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or SecurityException)
        {
            Log.Write("no live values: the registry does not take their server: " + exception.Message);
        }
    }

    private static SheetFunctions Begin()
    {
        lock (Gate)
        {
            if (_functions is { } present)
                return present;
            SheetOptions options = Settings.Read();
            options.Break = _host is { } host ? new UserBreak(host) : null;
            return _functions = new SheetFunctions(options);
        }
    }
}
