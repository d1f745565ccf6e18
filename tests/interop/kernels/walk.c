/* Walks an array of tokens given by address and length, as a kernel of a user's would. */
#include "lexpool.h"

uint64_t sum_idx(const TokenC *tokens, size_t length);
size_t count_spaces(const TokenC *tokens, size_t length);
void read_facts(const TokenC *token, int64_t out[6]);
void write_facts(TokenC *token, int spacy, int sent_start, int ent_iob);
int lexeme_flag(const LexemeC *lex, uint32_t attr);
void example(const TokenC *tokens, size_t length, const LexemeC *const *segments,
    const size_t *lengths, size_t n_segments, size_t out[2]);

uint64_t sum_idx(const TokenC *tokens, size_t length)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += tokens[i].idx;
    return sum;
}

size_t count_spaces(const TokenC *tokens, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (size_t)lexpool_token_spacy(&tokens[i]);
    return count;
}

void read_facts(const TokenC *token, int64_t out[6])
{
    out[0] = lexpool_token_lex_index(token);
    out[1] = lexpool_token_in_zone(token);
    out[2] = lexpool_token_spacy(token);
    out[3] = lexpool_token_sent_start(token);
    out[4] = lexpool_token_ent_iob(token);
    out[5] = lexpool_token_norm_ix(token);
}

void write_facts(TokenC *token, int spacy, int sent_start, int ent_iob)
{
    lexpool_token_set_spacy(token, spacy);
    lexpool_token_set_sent_start(token, sent_start);
    lexpool_token_set_ent_iob(token, ent_iob);
}

int lexeme_flag(const LexemeC *lex, uint32_t attr)
{
    return lexpool_lexeme_flag(lex, attr);
}

/* The lexeme of a token: segments one after another are the vocab's. NULL if it is in none of
 * them. */
static const LexemeC *lexeme_of(const TokenC *token, const LexemeC *const *segments,
    const size_t *lengths, size_t n_segments)
{
    size_t at = lexpool_token_lex_index(token);
    if (lexpool_token_in_zone(token))
        return NULL;
    for (size_t i = 0; i < n_segments; at -= lengths[i++]) {
        if (at < lengths[i])
            return &segments[i][at];
    }
    return NULL;
}

/* Example: how many sentences begin with a capital, and the longest run of punctuation. */
void example(const TokenC *tokens, size_t length, const LexemeC *const *segments,
    const size_t *lengths, size_t n_segments, size_t out[2])
{
    size_t starts = 0, run = 0, longest = 0;
    for (size_t i = 0; i < length; i++) {
        const LexemeC *lex = lexeme_of(&tokens[i], segments, lengths, n_segments);
        int title = lex != NULL && lexpool_lexeme_flag(lex, LEXPOOL_IS_TITLE);
        int punct = lex != NULL && lexpool_lexeme_flag(lex, LEXPOOL_IS_PUNCT);
        starts += (size_t)(lexpool_token_sent_start(&tokens[i]) == 1 && title);
        run = punct ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    out[0] = starts;
    out[1] = longest;
}
