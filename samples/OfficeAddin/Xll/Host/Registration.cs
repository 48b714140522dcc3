using System.Collections.Generic;

namespace OfficeAddin.Xll;

/// <summary>Makes the functions known to the host, and unknown again. Only on the host's main thread, as all of its commands.</summary>
internal sealed unsafe class Registration(SpreadsheetHost host)
{
    private const string Category = "Ipc";

    /// <summary>What the host calls a function that belongs in a formula; commands are 2.</summary>
    private const double IsFunction = 1;

    /// <summary>Excel's function wizard leaves out the last two characters of the last help.</summary>
    private const string WhatTheWizardCuts = "  ";

    private readonly List<(string Name, double Id)> _registered = [];

    /// <summary>The add-in's path, as the host knows it; <see langword="null"/> when it does not say.</summary>
    public string? Library()
    {
        void* library = host.Operands.Blank();
        try
        {
            if (!host.Call(HostFunction.GetName, library, 0, null))
                return null;
            string? path = host.Operands.Read(library)?[0, 0].Text;
            host.Call(HostFunction.Free, null, 1, &library);
            return string.IsNullOrEmpty(path) ? null : path;
        }
        finally
        {
            Operands.Free(library);
        }
    }

    /// <summary>How many of them the host has taken. It counts how often it has taken each, when the user opens the add-in once more.</summary>
    /// <param name="functions">What a sheet may call.</param>
    /// <param name="hasLiveValues">Whether it can be told that values have changed.</param>
    public int Register(IEnumerable<WorksheetFunction> functions, bool hasLiveValues)
    {
        int before = _registered.Count;
        void* library = host.Operands.Blank();
        try
        {
            if (!host.Call(HostFunction.GetName, library, 0, null))
                return 0;
            foreach (WorksheetFunction function in functions)
            {
                List<CellValue> about =
                [
                    CellValue.Of(function.ExportFor(host)),
                    CellValue.Of(function.TypesFor(host, hasLiveValues)),
                    CellValue.Of(function.Name),
                    CellValue.Of(function.Arguments),
                    CellValue.Of(IsFunction),
                    CellValue.Of(Category),
                    CellValue.Of(""),
                    CellValue.Of(""),
                    CellValue.Of(function.Help),
                ];
                for (int i = 0; host.IsExcel12 && i < function.ArgumentHelp.Count; i++)
                    about.Add(CellValue.Of(function.ArgumentHelp[i] + (i == function.ArgumentHelp.Count - 1 ? WhatTheWizardCuts : "")));
                if (Call(HostFunction.Register, library, [.. about]) is double id)
                    _registered.Add((function.Name, id));
            }

            host.Call(HostFunction.Free, null, 1, &library);
        }
        finally
        {
            Operands.Free(library);
        }

        return _registered.Count - before;
    }

    /// <summary>For a host that goes on without the add-in: its formulas show #NAME? from now on.</summary>
    public void Unregister()
    {
        foreach ((string name, double id) in _registered)
        {
            Call(HostFunction.Unregister, null, CellValue.Of(id));
            Call(HostFunction.SetName, null, CellValue.Of(name)); // a name without a value is deleted
        }

        _registered.Clear();
    }

    /// <summary>The number that the host answers with; null when it refuses or answers something else.</summary>
    private double? Call(int function, void* first, params CellValue[] others)
    {
        Operands operands = host.Operands;
        void** arguments = stackalloc void*[others.Length + 1];
        int count = 0;
        if (first != null)
            arguments[count++] = first;
        void* result = operands.Blank();
        int owned = count;
        try
        {
            foreach (CellValue value in others)
                arguments[count++] = operands.Argument(value);
            return host.Call(function, result, count, arguments) ? operands.Number(result) : null;
        }
        finally
        {
            while (count > owned)
                Operands.Free(arguments[--count]);
            Operands.Free(result);
        }
    }
}
