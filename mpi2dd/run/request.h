/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request.h
 * One line of the starter's protocol (mpi2dd/tables/starter.h), taken apart. The bytes are anybody's.
 */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum run_verb { RUN_HELLO, RUN_VERDICT, RUN_PLACE, RUN_WATCH };

/** Strings point into the line. */
struct run_request {
	enum run_verb verb;
	const char *job;
	int rank;                    /**< HELLO, VERDICT; -1: not known */
	int size;                    /**< HELLO: local size; VERDICT: world size; 1 or more */
	bool good;                   /**< VERDICT */
	const char *host;            /**< PLACE, WATCH */
	const char *executable, *id; /**< PLACE */
	int pid;                     /**< PLACE, WATCH; 1 or more */
};

/**
 * Can these first bytes of a line still become a request with this cookie? The cookie is compared in a time that
 * does not depend on it.
 */
bool run_request_may_be(const char *line, size_t n, const char *cookie);

/**
 * Take a line apart, in place.
 *
 * @param line without its newline, @p n bytes; line[n] may be written.
 * @return false: it is none. @p ret is undefined then.
 */
bool run_request_parse(char *line, size_t n, const char *cookie, struct run_request *ret);

/** A decimal number within limits, and nothing else. */
bool run_request_number(const char *word, int least, int most, int *ret);

#endif /* RUN_REQUEST_H */
