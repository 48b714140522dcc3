# Sourced: plugin_folder FOLDER ADD-IN   makes a folder of plug-ins for Gnumeric, and makes Gnumeric look there.
#
# In it: Gnumeric's loader of Excel add-ins, which loads what lies beside it, and the add-in. Nothing is installed anywhere.

plugin_folder() {
    local loader
    loader=$(find /usr/lib /usr/lib64 /usr/local/lib -path '*excelplugins/plugin.so' 2>/dev/null | head -n 1)
    [ -n "$loader" ] || { echo "this Gnumeric has no loader of Excel add-ins (excelplugins)" >&2; return 1; }
    loader=$(dirname "$loader")
    mkdir -p "$1/excelplugins"
    ln -s "$loader"/plugin.so "$loader"/plugin.xml "$loader"/xlcall32.so "$1/excelplugins/"
    cp "$2" "$1/excelplugins/"
    export GNUMERIC_PLUGIN_PATH=$1
}
