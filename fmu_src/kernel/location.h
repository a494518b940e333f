/* Where a host says that the FMU's resources are, and which FMU it takes it for. */
#ifndef KINETAB_LOCATION_H
#define KINETAB_LOCATION_H

#include "names.h"

#define KT_MODEL_FILE "/model.kinetab"

/* Path of the model file from the address of its folder: file:///a, file:/a, file://localhost/a, file:///C:/a or a path
 * without file:.  `path` has room for the address and the file's name.  A % without two digits, which some hosts leave
 * there, stands for itself. */
void kt_model_path(const char *uri, char *path);

/* Whether a GUID, with braces and dashes or without, has these 32 digits. */
int kt_same_guid(const char *guid, const char *digits);

#endif
