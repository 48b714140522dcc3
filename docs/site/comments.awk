# Makes doxygen's comments of the plain ones of src/Ipc.Native/include: docs/site/Doxyfile runs it on each header.
#   the first comment of a file      is about the file; what is indented in it is code
#   a comment on lines of its own    is about what follows. In C a list may end it: "NAME  text" is an argument
#   a comment behind a declaration   is about that

function words(text) {
    gsub(/[@\\]/, "\\\\&", text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/#/, "\\#", text)
    while (match(text, /`[^`]*`/))
        text = substr(text, 1, RSTART - 1) "<tt>" substr(text, RSTART + 1, RLENGTH - 2) "</tt>" substr(text, RSTART + RLENGTH)
    return text
}

# A line of a comment without its stars or slashes.
function said(text) {
    if (is_file && text ~ /^  /) {
        text = (is_code ? "" : FILENAME ~ /hpp$/ ? "\\code{.cpp}\n" : "\\verbatim\n") text
        is_code = 1
        return text
    }
    if (is_code && text !~ /^ *$/)
        return after_code() words(text)
    if (is_list && match(text, /^[a-z_0-9]+ +/))
        return "\\param " substr(text, 1, RLENGTH) words(substr(text, RLENGTH + 1))
    if (is_list && sub(/^Returns +/, "", text))
        return "\\return " words(text)
    if (is_list && sub(/^Blocks +/, "", text))
        return "\\par Blocks\n" words(text)
    if (text == "")
        is_list = in_stars && !is_file
    return words(text)
}

function after_code(was) {
    was = is_code
    is_code = 0
    return !was ? "" : FILENAME ~ /hpp$/ ? "\\endcode\n" : "\\endverbatim\n"
}

function trailing(mark, opening, at) {
    at = index($0, mark)
    print substr($0, 1, at - 1) opening words(substr($0, at + length(mark)))
}

BEGIN { is_file = 1 }

in_stars {
    text = $0
    ends = sub(/ *\*\/ *$/, "", text)
    sub(/^ *\* ?/, "", text) || sub(/^ +/, "", text)
    print said(text) (ends ? "\n" after_code() "*/" : "")
    if (ends)
        in_stars = is_file = is_list = 0
    next
}

in_slashes && !/^ *\/\// {
    print after_code() "*/"
    in_slashes = is_file = 0
}

/^ *\/\/ / || (in_slashes && /^ *\/\//) {
    text = $0
    sub(/^ *\/\/ ?/, "", text)
    print (in_slashes ? "" : is_file ? "/** \\file\n" : "/**\n") said(text)
    in_slashes = 1
    next
}

/^ *\/\* -----*/ { next }

/^ *\/\*/ {
    text = $0
    ends = sub(/ *\*\/ *$/, "", text)
    sub(/^ *\/\* ?/, "", text)
    print (is_file ? "/** \\file\n" : "/**\n") said(text) (ends ? " */" : "")
    in_stars = !ends
    if (ends)
        is_file = 0
    next
}

/[;,{}0-9A-Z)"] +\/\* / { trailing("/* ", "/**< "); in_rest = !/\*\//; previous = $0; next }

in_rest { in_rest = !/\*\//; print words($0); next }

/[;,] *\/\/ / && (/^(    )?[^ ]/ || previous ~ /=$/) { trailing("// ", "///< "); previous = $0; next }

{ print; previous = $0 }
