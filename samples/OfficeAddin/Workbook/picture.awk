# usage: sheet_stand_in ADD-IN SERVICE TABLE.csv C#=DAEMON C#=DAEMON show | awk -f picture.awk > sheet.svg
#
# Draws what the stand-in for Excel has got from the add-in as a sheet would show it: the cells, and beside them what is typed into which.
BEGIN {
    FS = "\t"; COLUMNS = 6; HEIGHT = 20; LEFT = 34; TOP = 20
    split("96 104 76 76 86 92", width, " ")
    for (i = 1; i <= COLUMNS; i++) { left[i] = i == 1 ? LEFT : left[i - 1] + width[i - 1]; right = left[i] + width[i] }
}
{ sub(/\r$/, "") }
$1 == "cell" { typed[$2, $3] = $4; text[$2, $3] = $5; if ($2 > rows) rows = $2 }
END {
    full = right + 300; high = TOP + rows * HEIGHT
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"Calibri, Carlito, Arial, sans-serif\" font-size=\"12\">\n", full, high + 1
    box(0, 0, full, high + 1, "#ffffff"); box(0, 0, right, TOP, "#e6e6e6"); box(0, 0, LEFT, high, "#e6e6e6")
    for (i = 1; i <= COLUMNS; i++) write(left[i] + width[i] / 2, 0, substr("ABCDEF", i, 1), "middle", "#444444")
    for (r = 1; r <= rows; r++) write(LEFT / 2, r, r, "middle", "#444444")
    for (r = 0; r <= rows; r++) line(0, TOP + r * HEIGHT, right, TOP + r * HEIGHT)
    for (i = 1; i <= COLUMNS; i++) line(left[i], 0, left[i], high)
    line(right, 0, right, high)
    for (r = 1; r <= rows; r++) {
        for (i = 1; i <= COLUMNS; i++) if ((r, i) in text) cell(r, i)
        for (i = 1; i <= COLUMNS; i++) if (typed[r, i] != "") write(right + 12, r, substr("ABCDEF", i, 1) r ":  " typed[r, i], "start", "#1f5fa8")
    }
    print "</svg>"
}

# Numbers to the right, truth values in the middle, texts to the left and over the empty cells behind them.
function cell(r, i,   end) {
    if (text[r, i] ~ /^-?[0-9.]+(E[-+][0-9]+)?$/) { write(left[i] + width[i] - 4, r, text[r, i], "end", "#000000"); return }
    if (text[r, i] == "TRUE" || text[r, i] == "FALSE") { write(left[i] + width[i] / 2, r, text[r, i], "middle", "#000000"); return }
    for (end = i; end < COLUMNS && !((r, end + 1) in text); end++) ;
    if (end > i && text[r, i] != "") box(left[i] + 1, TOP + (r - 1) * HEIGHT + 1, left[end] + width[end] - left[i] - 2, HEIGHT - 2, "#ffffff")
    write(left[i] + 4, r, text[r, i], "start", "#000000")
}

function box(x, y, w, h, fill) { printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"%s\"/>\n", x, y, w, h, fill }

function line(x, y, to_x, to_y) { printf "<path d=\"M%g %gL%g %g\" stroke=\"#d0d0d0\"/>\n", x, y, to_x, to_y }

function write(x, r, words, anchor, fill) {
    gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
    printf "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, TOP + r * HEIGHT - 6, anchor, fill, words
}
