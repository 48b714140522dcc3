using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Ipc.Peer.Drive;

/// <summary>The verb <c>drive</c>: a test holds the strings of this process.</summary>
/// <remarks>
/// One command per line on stdin, words separated by a space, options as key=value. One answer per line on stdout:
/// <c>STATUS [key=value ...] [| text]</c>; STATUS is the number of the <see cref="IpcStatus"/>, 100 means "wrong content".
/// Objects have numbers that the test chooses; connections that <c>next</c> lends get numbers from 1000 upwards. The C peer has
/// the same verb with the same commands (tests/peers/c/drive.c): a test says which language sits at which end and is
/// otherwise the same text. Nothing here is clever: a command is a call of the library, its answer is what the call returned.
/// </remarks>
internal sealed partial class Driver
{
    private const int FirstLent = 1000;
    private const ushort EndOfService = 65535;
    private readonly Dictionary<int, object> _objects = [];
    private int _claimed;
    private Line _line = new("");

    /// <summary>Reads commands until the input ends. The exit code is 0, or 2 when a command was not understood.</summary>
    public static int Run()
    {
        var driver = new Driver();
        Answer("ready");
        int code = 0;
        while (code == 0 && Console.In.ReadLine() is { } text)
            code = driver.Execute(text);
        driver.CloseAll();
        return code;
    }

    private int Execute(string text)
    {
        _line = new Line(text);
        try
        {
            string? answer = Queue() ?? Topic() ?? Sync() ?? Ring() ?? Numbered() ?? Named() ?? Connect() ?? Refusals() ?? Process();
            if (answer == null)
            {
                Answer($"2 | unknown command {_line.Word(0)}");
                return 2;
            }
            Answer(answer);
        }
        catch (IpcException error)
        {
            Answer($"{(int)error.Status} | {error.Message.ReplaceLineEndings(" ")}");
        }
        catch (ArgumentException error)
        {
            Answer($"{(int)IpcStatus.InvalidArgument} | {error.Message.ReplaceLineEndings(" ")}");
        }
        catch (ObjectDisposedException error)
        {
            Answer($"{(int)IpcStatus.Closed} | {error.Message.ReplaceLineEndings(" ")}");
        }
        catch (InvalidOperationException error)
        {
            Answer($"{(int)IpcStatus.InvalidState} | {error.Message.ReplaceLineEndings(" ")}");
        }
        return 0;
    }

    private string? Process() => _line.Word(0) switch
    {
        "close" => Close(_line.Id),
        "exec-cat" => BecomeCat(),
        "clear" => SharedStorage.Clear(_line.Word(1)) ? "0" : Status(IpcStatus.NotFound),
        _ => null,
    };

    /// <summary>This process becomes another program, under its number; that ends with its input.</summary>
    private static string BecomeCat()
    {
        Answer("0");
        IntPtr[] arguments = [Marshal.StringToCoTaskMemUTF8("cat"), IntPtr.Zero];
        _ = Execute("/bin/cat", arguments, IntPtr.Zero);
        return "1 | exec failed";
    }

    [DllImport("libc", EntryPoint = "execve")]
    private static extern int Execute([MarshalAs(UnmanagedType.LPUTF8Str)] string path, IntPtr[] arguments, IntPtr environment);

    private string Close(int id)
    {
        if (_objects.Remove(id, out object? found))
            ((IDisposable)found).Dispose();
        return "0";
    }

    private void CloseAll() // the end of the input is an orderly end: connections before their listener
    {
        foreach (object left in _objects.Values)
        {
            if (left is not (Listener or NamedListener))
                ((IDisposable)left).Dispose();
        }
        foreach (object left in _objects.Values)
        {
            if (left is Listener or NamedListener)
                ((IDisposable)left).Dispose();
        }
    }

    private T Get<T>(int id)
        where T : class => _objects.TryGetValue(id, out object? found) && found is T wanted
            ? wanted
            : throw new InvalidOperationException($"there is no object {id}");

    private RingWriter Writer => Get<object>(_line.Id) switch
    {
        RingWriter writer => writer,
        Connection connection => connection.Writer,
        _ => throw new InvalidOperationException("not a writer"),
    };

    private RingReader Reader => ReaderOf(_line.Id);

    private RingReader ReaderOf(int id) => Get<object>(id) switch
    {
        RingReader reader => reader,
        Connection connection => connection.Reader,
        _ => throw new InvalidOperationException("not a reader"),
    };

    private static string Status(IpcStatus status) => ((int)status).ToString(CultureInfo.InvariantCulture);

    private static void Answer(string text)
    {
        Console.Out.Write(text + "\n");
        Console.Out.Flush();
    }

    private static string Utf8(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetString(bytes.ToArray());
}
