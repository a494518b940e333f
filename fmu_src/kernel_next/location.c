/* Addresses and identities as hosts write them. */
#include "location.h"

#include <string.h>

static int hex(char c) {
    const char *digits = "0123456789abcdef", *found;

    if (c >= 'A' && c <= 'F')
        c = (char)(c - 'A' + 'a');
    found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

void kt_model_path(const char *uri, char *path) {
    int encoded = strncmp(uri, "file:", 5) == 0;

    if (encoded) {
        uri += 5;
        if (strncmp(uri, "//localhost/", 12) == 0)
            uri += 11;
        else if (strncmp(uri, "///", 3) == 0)
            uri += 2;
#ifdef _WIN32
        if (uri[0] == '/' && uri[1] && uri[2] == ':') /* a drive letter */
            uri += 1;
#endif
    }
    while (*uri) {
        int high = encoded && *uri == '%' ? hex(uri[1]) : -1;
        int low = high >= 0 ? hex(uri[2]) : -1;
        if (low >= 0 && high + low > 0) {
            *path++ = (char)(16 * high + low);
            uri += 3;
        } else {
            *path++ = *uri++;
        }
    }
    strcpy(path, KT_MODEL_FILE);
}

int kt_same_guid(const char *guid, const char *digits) {
    for (; *guid; guid++) {
        if (strchr("{}-", *guid))
            continue;
        if (!*digits || hex(*guid) < 0 || hex(*guid) != hex(*digits++))
            return 0;
    }
    return !*digits;
}
