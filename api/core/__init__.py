"""What every part of the service uses: settings, the request's context, errors, paging, JSON."""
