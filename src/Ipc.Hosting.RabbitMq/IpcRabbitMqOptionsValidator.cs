using System;
using System.Collections.Generic;
using System.Globalization;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Hosting.RabbitMq;

/// <summary>What both ends have in common. No text has a password: whoever has written it elsewhere by mistake finds
/// it in no log.</summary>
internal abstract class IpcRabbitMqOptionsValidator<TOptions> : IpcOptionsValidator<TOptions>
    where TOptions : IpcRabbitMqOptions
{
    private const string OfParameter = " (Parameter 'address')"; // what ArgumentException adds

    private protected static void CheckAddress(TOptions options, List<string> wrong)
    {
        if (string.IsNullOrEmpty(options.Address))
        {
            wrong.Add("Address is not set; it is amqp://HOST:PORT/VHOST/SERVICE.");
            return;
        }

        if (options.WrongUser() is { } why)
        {
            wrong.Add(why);
            return;
        }

        try
        {
            RabbitMqClient.Create(options.Full()).Dispose();
        }
        catch (ArgumentException e)
        {
            wrong.Add("Address is none. " + e.Message.Replace(OfParameter, string.Empty, StringComparison.Ordinal));
        }
    }

    private protected static void CheckBroker(RabbitMqOptions rpc, List<string> wrong)
    {
        TimeSpan second = TimeSpan.FromSeconds(1), hour = TimeSpan.FromHours(1);
        CheckSpan("ConnectTimeout", rpc.ConnectTimeout, TimeSpan.FromTicks(1), hour, "0 (and more) to an hour", wrong);
        CheckSpan("Heartbeat", rpc.Heartbeat, second, hour, "a second to an hour", wrong);
        if (rpc.FirstPause <= TimeSpan.Zero || rpc.FirstPause > rpc.LongestPause ||
            rpc.LongestPause > TimeSpan.FromDays(1))
            wrong.Add(
                "Rpc.FirstPause is " + Text(rpc.FirstPause) + " and LongestPause " + Text(rpc.LongestPause) +
                "; the first is more than nothing and no longer than the other, which is a day at most.");
        CheckRange("MaxMessageBytes", rpc.MaxMessageBytes, 1, 512 << 20, "bytes", wrong);
    }

    private protected static void CheckSpan(
        string name, TimeSpan value, TimeSpan least, TimeSpan most, string range, List<string> wrong)
    {
        if (value < least || value > most)
            wrong.Add("Rpc." + name + " is " + Text(value) + "; it is " + range + ".");
    }

    private static string Text(TimeSpan value) => value.ToString("c", CultureInfo.InvariantCulture);
}
