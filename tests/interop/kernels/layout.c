/* Includes the header twice, so that its asserts and its guard are both checked; also as C++. */
#include "lexpool.h"
#include "lexpool.h"

int abi_version(void);

int abi_version(void)
{
    return LEXPOOL_ABI_VERSION;
}
