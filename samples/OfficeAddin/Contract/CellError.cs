namespace OfficeAddin;

/// <summary>The errors of a spreadsheet, with the codes that Excel's C interface has for them.</summary>
public enum CellError
{
    /// <summary>#NULL!</summary>
    Null = 0,

    /// <summary>#DIV/0!</summary>
    Div0 = 7,

    /// <summary>#VALUE!</summary>
    Value = 15,

    /// <summary>#REF!</summary>
    Ref = 23,

    /// <summary>#NAME?</summary>
    Name = 29,

    /// <summary>#NUM!</summary>
    Num = 36,

    /// <summary>#N/A</summary>
    NA = 42,

    /// <summary>#GETTING_DATA</summary>
    GettingData = 43,
}
