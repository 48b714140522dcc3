using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>A table as it travels: a byte per cell, and what the byte does not say apart, in the order of the cells, row by row.</summary>
/// <remarks>
/// The byte of a cell: 0 empty, 1 the next of <see cref="Numbers"/>, 2 the next of <see cref="Texts"/>, 3 FALSE, 4 TRUE, 5 a date, which is
/// the next of <see cref="Numbers"/>: the days since 30 December 1899, the time of day as their fraction, of no time zone; 128 + code an error, one of <see cref="CellError"/>: any other is read
/// as #VALUE!. A table of numbers is nine bytes a cell, and a block copy on both sides.
/// </remarks>
[DataContract]
public sealed class Cells
{
    [DataMember(Order = 1)]
    public int Rows { get; set; }

    [DataMember(Order = 2)]
    public int Columns { get; set; }

    [DataMember(Order = 3)]
    public byte[] Kinds { get; set; } = Array.Empty<byte>();

    [DataMember(Order = 4)]
    public List<double> Numbers { get; set; } = new();

    [DataMember(Order = 5)]
    public List<string> Texts { get; set; } = new();
}
