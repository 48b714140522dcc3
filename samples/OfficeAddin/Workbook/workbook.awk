# usage: awk -v service=NAME -v workbook=FILE.gnumeric -v expected=FILE -f workbook.awk instruments.csv
#
# Writes a workbook of several hundred IPC cells over the table in the CSV file (without quotes), and beside it what each of them shows when a daemon
# serves that table: StandIn/expected.h has the format.
#
#   A..J  the table as one array formula        N..O  a column of it as streams
#   K..L  this machine, and calculations        Q..Y  the table again, a function for each cell; below it the functions of the daemon
BEGIN { FS = ","; TOP = 3 } # the row of the names, from 0

NR == 1 { for (i = 2; i <= NF; i++) field[i - 1] = $i; fields = NF - 1; next }
{ ids++; id[ids] = $1; for (i = 2; i <= NF; i++) cell[ids, i - 1] = shown($i) }

END {
    first = TOP + 2; last = TOP + 1 + ids # rows of the table, as formulas count
    begin_workbook()

    put(0, 0, "Service"); put(0, 1, service)
    formula(1, 0, "IPC.STATUS($B$1)", "status", "")

    put(TOP, 0, "id")
    for (f = 1; f <= fields; f++) put(TOP, f, field[f])
    for (i = 1; i <= ids; i++) put(TOP + i, 0, id[i])
    array(TOP + 1, 1, ids, fields, "IPC.GRID($B$1,$A$" first ":$A$" last ",$B$" TOP + 1 ":" letter(fields) "$" TOP + 1 ")")
    for (i = 1; i <= ids; i++) for (f = 1; f <= fields; f++) expect(TOP + i, f, "value", cell[i, f])

    at = TOP
    put(at, 10, "this machine")
    machine("processors busy, %", "cpu", "load")
    machine("memory, bytes", "mem", "total")
    machine("in use, bytes", "mem", "used")
    machine("available, bytes", "mem", "available")
    machine("loopback, bytes", "net:lo", "received_bytes")
    put(at += 2, 10, "calculated")
    calculations()

    put(TOP, 13, "stream"); put(TOP, 14, field[2])
    for (i = 1; i <= ids; i++) {
        put(TOP + i, 13, id[i])
        formula(TOP + i, 14, "IPC.STREAM($B$1,N" TOP + 1 + i ",O$" TOP + 1 ")", "stream", cell[i, 2])
    }

    for (f = 1; f <= fields; f++) {
        put(TOP, 15 + f, field[f])
        for (i = 1; i <= ids; i++)
            formula(TOP + i, 15 + f, "IPC.GET($B$1,$A" TOP + 1 + i "," letter(15 + f) "$" TOP + 1 ")", "value", cell[i, f])
    }
    functions(TOP + ids + 4, 16)
    # What the spreadsheet program makes of them.
    formula(TOP + ids + 2, 17, "SUM(R" first ":R" last ")", "value", column_sum(2))
    formula(TOP + ids + 2, 19, "SUM(T" first ":T" last ")", "value", column_sum(4))
    end_workbook()
}

# A date is the number that a spreadsheet has for it: days from 1900 with a 29 February of that year, which never was.
function shown(word,   year, month, day, serial, time) {
    if (word !~ /^[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9](T[0-9][0-9]:[0-9][0-9]:[0-9][0-9])?$/) return word
    year = substr(word, 1, 4) + 0; month = substr(word, 6, 2) + 0; day = substr(word, 9, 2) + 0
    if (month > 12) return word
    time = substr(word, 12, 2) * 3600 + substr(word, 15, 2) * 60 + substr(word, 18, 2)
    serial = day_number(year, month, day) - day_number(1899, 12, 30)
    if (serial < 61) serial--
    return serial < 1 ? "#NUM!" : number(serial + time / 86400)
}

function day_number(year, month, day) {
    if (month < 3) { year--; month += 12 }
    return 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * (month - 3) + 2) / 5) + day
}

function column_sum(f,   i, total) {
    for (i = 1; i <= ids; i++) total += cell[i, f]
    return number(total)
}

function column(f) { return letter(f) "$" first ":" letter(f) "$" last }

function calculations(   i, paid, volume) {
    for (i = 1; i <= ids; i++) { paid += cell[i, 2] * cell[i, 4]; volume += cell[i, 4] }
    calc("sum of a range", "\"sum\"," column(2), column_sum(2))
    calc("sum of two ranges", "\"sum\"," column(2) "," column(3), number(column_sum(2) + column_sum(3)))
    calc("sum of numbers", "\"sum\",1,2.5,-4", "-0.5")
    calc("sum with an empty argument", "\"sum\",1,,2", "3")
    calc("sum with text and truth", "\"sum\",1,\"two\",TRUE", "1")
    calc("sum of nothing", "\"sum\"", "0")
    calc("sum with #DIV/0!", "\"sum\",1,1/0", "#DIV/0!")
    calc("sum with #N/A", "\"sum\",NA()", "#N/A")
    calc("sum of a range with errors", "\"sum\"," column(5), "#N/A")
    calc("mean", "\"mean\"," column(4), number(column_sum(4) / ids))
    calc("mean of no numbers", "\"mean\",\"text\"", "#DIV/0!")
    calc("count", "\"count\"," column(2) "," column(6), ids)
    calc("count of cells", "\"count\",1,2,3", "3")
    calc("concat", "\"concat\",\"a\",5,TRUE,\"ž\"", "a5TRUEž")
    calc("concat of a range", "\"concat\",$A$" first ":$A$" first + 2, id[1] id[2] id[3])
    calc("concat of names", "\"concat\",$B$" TOP + 1 ":$D$" TOP + 1, field[1] field[2] field[3])
    calc("average price by volume", "\"vwap\"," column(2) "," column(4), number(paid / volume))
    calc("the same, wrong shape", "\"vwap\"," column(2) ",$B$1", "#VALUE!")
    calc("scale", "\"scale\",21,2", "42")
    calc("a date", "\"date\",2026,11,27", shown("2026-11-27"))
    calc("no date", "\"date\",2026,2,29", "#NUM!")
    calc("a date as text", "\"concat\",$J$" first + 3 ",\" \",2026", shown("1900-03-01") " 2026")
    calc("a date shifted", "\"shift\",$J$" first + 7 ",366", shown("2001-03-01"))
    calc("a date before all", "\"shift\",$J$" first + 1 ",-1", "#NUM!")
    calc("a day that never was", "\"shift\",60,0", "#NUM!")
    calc("echo of a number", "\"echo\",0.1", "0.1")
    calc("echo of a text", "\"echo\",\"日本 𝄞\"", "日本 𝄞")
    calc("echo of TRUE", "\"echo\",TRUE", "TRUE")
    calc("echo of FALSE", "\"echo\",1=2", "FALSE")
    calc("echo of an error", "\"echo\",LOG(-1)", "#NUM!")
    calc("echo of no text", "\"echo\",\"\"", "")
    calc("error 7", "\"error\",7", "#DIV/0!")
    calc("error 29", "\"error\",29", "#NAME?")
    calc("error 5, which there is not", "\"error\",5", "#VALUE!")
    calc("error of a text", "\"error\",\"x\"", "#VALUE!")
    calc("no such function", "\"no such function\",1", "#NAME?")
    calc("a result in a result", "\"sum\",IPC.CALC($B$1,\"sum\",1,2),IPC.GET($B$1,$A$" first ",$C$" TOP + 1 ")", number(3 + cell[1, 2]))
    wrong("no such id", "IPC.GET($B$1,\"NOBODY\",\"PX_LAST\")", "#N/A")
    wrong("no such field", "IPC.GET($B$1,$A$" first ",\"NOTHING\")", "#N/A")
    wrong("no such service", "IPC.GET(\"nobody.serves.this\",$A$" first ",\"NAME\")", "#N/A")
    wrong("a name that cannot be", "IPC.GET(\"../x\",$A$" first ",\"NAME\")", "#N/A")
    wrong("an argument is missing", "IPC.GET($B$1,$A$" first ")", "#VALUE!")
    wrong("an error as a name", "IPC.GET($B$1,1/0,\"NAME\")", "#DIV/0!")
    wrong("a range as a name", "IPC.GET($B$1,$A$" first ":$A$" last ",\"NAME\")", "#VALUE!")
    wrong("a grid of no ids", "IPC.GRID($B$1,$Z$1:$Z$9,\"NAME\")", "#VALUE!")
}

# What both daemons say that they compute, as one array formula.
function functions(row, column_,   count, i, j, all, one) {
    count = split("sum|cells...|The sum of all numbers.;mean|cells...|The mean of all numbers.;count|cells...|How many numbers there are.;" \
        "concat|cells...|Everything as one text.;vwap|prices, volumes|The average price by volume, of two ranges of one shape.;" \
        "scale|cells, factor|Every number times the factor, the rest as it is.;date|year, month, day|The date of that day.;" \
        "shift|date, days|The date so many days later.;echo|cells|The same again, errors and all.;" \
        "error|code|The error of that code.;slow|milliseconds|The number, after so long.", all, ";")
    put(row, column_, "functions of the daemon")
    array(row + 1, column_, count, 3, "IPC.FUNCTIONS($B$1)")
    for (i = 1; i <= count; i++) {
        split(all[i], one, "|")
        for (j = 1; j <= 3; j++) expect(row + i, column_ + j - 1, "value", one[j])
    }
}

function calc(label, arguments, result) {
    put(++at, 10, label)
    formula(at, 11, "IPC.CALC($B$1," arguments ")", "value", result)
}

function machine(label, of, what) {
    put(++at, 10, label)
    formula(at, 11, "IPC.GET($B$1,\"" of "\",\"" what "\")", "number", "")
}

# Without a daemon as with one.
function wrong(label, text, result) {
    put(++at, 10, label)
    formula(at, 11, text, "always", result)
}

function number(value) { return sprintf("%.17g", value) }

function letter(index_) { return substr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", index_ + 1, 1) }

function expect(row, column_, dependence, characters) { print row "\t" column_ "\t" dependence "\t" characters > expected }

function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }

function put(row, column_, text) {
    printf "<gnm:Cell Row=\"%d\" Col=\"%d\" ValueType=\"60\">%s</gnm:Cell>\n", row, column_, escape(text) > workbook
}

function formula(row, column_, text, dependence, characters) {
    printf "<gnm:Cell Row=\"%d\" Col=\"%d\">=%s</gnm:Cell>\n", row, column_, escape(text) > workbook
    expect(row, column_, dependence, characters)
}

function array(row, column_, rows, columns, text) {
    printf "<gnm:Cell Row=\"%d\" Col=\"%d\" Rows=\"%d\" Cols=\"%d\">=%s</gnm:Cell>\n", row, column_, rows, columns, escape(text) > workbook
}

function style(from, to, top, bottom, back, bold) {
    printf "<gnm:StyleRegion startCol=\"%d\" endCol=\"%d\" startRow=\"%d\" endRow=\"%d\"><gnm:Style Back=\"%s\" Shade=\"1\">", \
        from, to, top, bottom, back > workbook
    printf "<gnm:Font Unit=\"10\" Bold=\"%d\">Sans</gnm:Font></gnm:Style></gnm:StyleRegion>\n", bold > workbook
}

function width(column_, points) { printf "<gnm:ColInfo No=\"%d\" Unit=\"%d\" HardSize=\"1\"/>\n", column_, points > workbook }

function begin_workbook() {
    printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gnm:Workbook xmlns:gnm=\"http://www.gnumeric.org/v10.dtd\">\n" > workbook
    printf "<gnm:SheetNameIndex><gnm:SheetName gnm:Cols=\"256\" gnm:Rows=\"65536\">Ipc</gnm:SheetName></gnm:SheetNameIndex>\n" > workbook
    printf "<gnm:Sheets><gnm:Sheet><gnm:Name>Ipc</gnm:Name><gnm:Styles>\n" > workbook
    style(0, 0, 0, 0, "FFFF:FFFF:FFFF", 1)
    style(0, 24, TOP, TOP, "DDDD:E6E6:F5F5", 1)
    printf "</gnm:Styles><gnm:Cols DefaultSizePts=\"60\">\n" > workbook
    width(0, 48); width(1, 80); width(2, 54); width(3, 54); width(4, 50); width(5, 50); width(6, 60); width(7, 62); width(8, 70); width(9, 70)
    width(10, 140); width(11, 84); width(12, 12); width(13, 48); width(14, 54); width(15, 12)
    printf "</gnm:Cols><gnm:Cells>\n" > workbook
}

function end_workbook() { printf "</gnm:Cells></gnm:Sheet></gnm:Sheets>\n</gnm:Workbook>\n" > workbook }
