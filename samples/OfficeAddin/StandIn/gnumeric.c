#include "gnumeric.h"

#include "checks.h"

#include <dlfcn.h>
#include <stddef.h>

/* The versions of Debian 12, 13 and of what may follow; the unversioned names are there as well on some systems. */
static const char *const sheet_libraries[] = {"libspreadsheet-1.12.55.so", "libspreadsheet-1.12.59.so",
                                              "libspreadsheet.so"};
static const char *const office_libraries[] = {"libgoffice-0.10.so.10", "libgoffice-0.10.so"};

static void *workbook;
static void *first_sheet;
static void (*recalculate)(void *workbook);
static const void *(*value_of)(void *sheet, int column, int row);
static char *(*text_of)(const void *value);

static void *library(const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
        if (found != NULL)
            return found;
    }
    give_up("%s", dlerror());
}

/* Functions are reached through object pointers; POSIX says that they fit. */
static void function(void *from, const char *name, void *into)
{
    void **place = into;
    *place = dlsym(from, name);
    if (*place == NULL)
        give_up("%s", dlerror());
}

void gnumeric_open(const char *file)
{
    void *sheets = library(sheet_libraries, sizeof sheet_libraries / sizeof *sheet_libraries);
    void *office = library(office_libraries, sizeof office_libraries / sizeof *office_libraries);

    const char **(*before_all)(int, const char **);
    void (*keep_no_settings)(int), (*begin)(void), (*find_plugins)(void *), (*activate)(void *, void **);
    void *(*to_standard_error)(void), *(*plugins)(void), *(*input)(void *), *(*workbook_of)(void *),
        *(*sheet)(void *, int);
    void *(*view)(const char *, void *, void *, const char *);
    char *(*uri_of)(const char *);
    function(sheets, "gnm_pre_parse_init", &before_all);
    function(sheets, "gnm_conf_set_persistence", &keep_no_settings);
    function(sheets, "gnm_init", &begin);
    function(sheets, "gnm_cmd_context_stderr_new", &to_standard_error);
    function(sheets, "gnm_plugins_init", &find_plugins);
    function(office, "go_plugins_get_available_plugins", &plugins);
    function(office, "go_plugin_db_activate_plugin_list", &activate);
    function(office, "go_io_context_new", &input);
    function(office, "go_shell_arg_to_uri", &uri_of);
    function(sheets, "workbook_view_new_from_uri", &view);
    function(sheets, "wb_view_get_workbook", &workbook_of);
    function(sheets, "workbook_sheet_by_index", &sheet);
    function(sheets, "workbook_recalc_all", &recalculate);
    function(sheets, "sheet_cell_get_value", &value_of);
    function(sheets, "value_get_as_string", &text_of);

    static const char *arguments[] = {"sheet_keep_open", NULL};
    before_all(1, arguments);
    keep_no_settings(0);
    begin();
    void *context = to_standard_error();
    void *errors = NULL; /* of plug-ins that the installation is too small for: not ours */
    find_plugins(context);
    activate(plugins(), &errors);

    void *opened = view(uri_of(file), NULL, input(context), NULL);
    if (opened == NULL)
        give_up("Gnumeric does not open %s", file);
    workbook = workbook_of(opened);
    first_sheet = sheet(workbook, 0);
    if (first_sheet == NULL)
        give_up("%s has no sheet", file);
}

void gnumeric_recalculate(void)
{
    recalculate(workbook);
}

char *gnumeric_cell(int row, int column)
{
    const void *value = value_of(first_sheet, column, row);
    return value == NULL ? NULL : text_of(value);
}
