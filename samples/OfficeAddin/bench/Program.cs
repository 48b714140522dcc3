// Cells per second: a sheet of ROWS x 10 cells that asks a daemon for each of its cells, in the ways that there are. run.sh makes the table and
// starts the daemons.
//
//     OfficeAddin.Bench NAME SOCKET ROWS SECONDS
//
// Every value is compared with what the table holds. The ways take turns, so that a busy moment of the machine meets them all; of each way the middle
// one of its turns is shown, and the fastest and the slowest.
using System;
using System.Globalization;
using OfficeAddin.Bench;

if (args.Length != 4
    || !int.TryParse(args[2], NumberStyles.None, CultureInfo.InvariantCulture, out int rows)
    || !double.TryParse(args[3], NumberStyles.Float, CultureInfo.InvariantCulture, out double seconds))
{
    Console.Error.WriteLine("usage: OfficeAddin.Bench NAME SOCKET ROWS SECONDS");
    return 2;
}

using var ways = new Ways(args[0], args[1], rows);
ways.Measure(TimeSpan.FromSeconds(seconds));
return 0;
