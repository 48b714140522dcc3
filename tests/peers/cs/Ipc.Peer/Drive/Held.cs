using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>A thread that keeps a claim or a message, which no field can hold, on its stack from one command to the next.</summary>
/// <remarks>The thread and the driver never run at the same time: each hands over and waits.</remarks>
internal sealed class Held
{
    private readonly object _turn = new();
    private bool _isBodys = true; // whose turn it is
    private Line _request = new("");
    private string _answer = "";
    private ExceptionDispatchInfo? _error;

    private Held(Action<Held> body)
    {
        var thread = new Thread(() =>
        {
            try
            {
                body(this);
            }
            catch (Exception error)
            {
                _error = ExceptionDispatchInfo.Capture(error);
                HandTo(body: false);
            }
        });
        thread.IsBackground = true;
        thread.Start();
    }

    /// <summary>Starts the body and waits for its first answer.</summary>
    public static Held Start(Action<Held> body, out string answer)
    {
        var held = new Held(body);
        answer = held.TakeAnswer();
        return held;
    }

    /// <summary>The driver's side: hands a command over and waits for the answer.</summary>
    public string Ask(Line request)
    {
        _request = request;
        HandTo(body: true);
        return TakeAnswer();
    }

    /// <summary>The body's side: the next command.</summary>
    public Line Next()
    {
        WaitFor(body: true);
        return _request;
    }

    /// <summary>The body's side: answers the driver, which goes on.</summary>
    public void Answer(string text)
    {
        _answer = text;
        HandTo(body: false);
    }

    private string TakeAnswer()
    {
        WaitFor(body: false);
        _error?.Throw();
        return _answer;
    }

    private void HandTo(bool body)
    {
        lock (_turn)
        {
            _isBodys = body;
            Monitor.PulseAll(_turn);
        }
    }

    private void WaitFor(bool body)
    {
        lock (_turn)
        {
            while (_isBodys != body)
                Monitor.Wait(_turn);
        }
    }
}
