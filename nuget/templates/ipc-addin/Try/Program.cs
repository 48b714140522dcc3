using System;
using System.Globalization;
using System.Linq;
using System.Reflection;

namespace IpcAddin._1;

/// <summary>Calls a function as a cell would, without Excel: "IpcPrice ACME", or "IpcPrices ACME,HOOLI" for a range.</summary>
internal static class Program
{
    private static int Main(string[] args)
    {
        MethodInfo? function = args.Length == 0 ? null : typeof(Functions).GetMethod(args[0]);
        ParameterInfo[] parameters = function?.GetParameters() ?? [];
        if (function is null || parameters.Length != args.Length - 1)
        {
            Console.Error.WriteLine("usage: dotnet run --project Try -- FUNCTION ARGUMENT ...");
            foreach (MethodInfo each in typeof(Functions).GetMethods(BindingFlags.Public | BindingFlags.Static))
                Console.Error.WriteLine($"  {each.Name} {string.Join(' ', each.GetParameters().Select(parameter => parameter.Name))}");
            return 2;
        }

        Service.Use(PricesAddress.Name, TimeSpan.FromMinutes(1)); // nobody is in a hurry here, as Excel would be
        try
        {
            object? value = function.Invoke(null, parameters.Select((parameter, i) => Argument(args[i + 1], parameter.ParameterType)).ToArray());
            Console.WriteLine(value is object[,] table ? string.Join('\t', table.Cast<object>().Select(Shown)) : Shown(value));
            return 0;
        }
        catch (TargetInvocationException failure)
        {
            Console.WriteLine($"#VALUE!    {failure.InnerException!.Message}");
            return 1;
        }
    }

    private static object Argument(string text, Type type)
        => type == typeof(object[,]) ? Row(text.Split(',')) : Convert.ChangeType(text, type, CultureInfo.InvariantCulture);

    private static object[,] Row(string[] cells)
    {
        object[,] table = new object[1, cells.Length];
        for (int i = 0; i < cells.Length; i++)
            table[0, i] = cells[i];
        return table;
    }

    private static string? Shown(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture);
}
